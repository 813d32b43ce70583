/** The marks and labels that Belay keeps on the metadata of workloads; never on pod templates. */
@NullMarked
package dev.belay.operator.marks;

import org.jspecify.annotations.NullMarked;
