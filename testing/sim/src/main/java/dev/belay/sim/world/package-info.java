/** The simulated world: API server, controllers, kubelet, members, people. */
@NullMarked
package dev.belay.sim.world;

import org.jspecify.annotations.NullMarked;
