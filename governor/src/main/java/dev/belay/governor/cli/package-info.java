/** The governor from the shell: no Kubernetes needed. */
@NullMarked
package dev.belay.governor.cli;

import org.jspecify.annotations.NullMarked;
