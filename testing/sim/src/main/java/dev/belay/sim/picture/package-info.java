/** Draws one run as a page that a person can read in a browser. */
@org.jspecify.annotations.NullMarked
package dev.belay.sim.picture;
