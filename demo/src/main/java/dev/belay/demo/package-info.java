/** The demonstration, and the pieces that the end-to-end tests share with it. */
@NullMarked
package dev.belay.demo;

import org.jspecify.annotations.NullMarked;
