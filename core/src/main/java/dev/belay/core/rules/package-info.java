/** The reasons a step may not be taken, by subject, and the facts they rest on. */
@NullMarked
package dev.belay.core.rules;

import org.jspecify.annotations.NullMarked;
