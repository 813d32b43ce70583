/** The StatefulCluster resource as users and the API server see it, and its mapping to core. */
@NullMarked
package dev.belay.api.v1alpha1;

import org.jspecify.annotations.NullMarked;
