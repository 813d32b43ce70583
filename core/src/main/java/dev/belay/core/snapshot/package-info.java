/** What is known of one StatefulCluster at one moment, frozen. */
@NullMarked
package dev.belay.core.snapshot;

import org.jspecify.annotations.NullMarked;
