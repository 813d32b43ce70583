/** The migrations of databases: read and carried out beside the loop. */
@NullMarked
package dev.belay.operator.migrations;

import org.jspecify.annotations.NullMarked;
