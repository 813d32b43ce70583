/** What Prometheus reads: the reports of the loop as numbers, and whether the process is well. */
@NullMarked
package dev.belay.operator.metrics;

import org.jspecify.annotations.NullMarked;
