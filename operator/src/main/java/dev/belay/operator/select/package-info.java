/** Label selectors in the syntax of kubectl, evaluated in the operator. */
@NullMarked
package dev.belay.operator.select;

import org.jspecify.annotations.NullMarked;
