/** Nodes of the sandbox: pods as local processes, with statuses as a kubelet writes them. */
@NullMarked
package dev.belay.sandbox.node;

import org.jspecify.annotations.NullMarked;
