/** Carries out a queue of migrations that no crash can run twice, skip, or leave half done. */
@NullMarked
package dev.belay.governor;

import org.jspecify.annotations.NullMarked;
