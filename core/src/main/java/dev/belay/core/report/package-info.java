/** From a snapshot and a decision to the status a person reads. */
@NullMarked
package dev.belay.core.report;

import org.jspecify.annotations.NullMarked;
