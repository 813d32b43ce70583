/** A real Kubernetes control plane on one machine, and nodes that run pods as local processes. */
@NullMarked
package dev.belay.sandbox;

import org.jspecify.annotations.NullMarked;
