/** Migrations as files: their names, headers, statements and checksums. */
@NullMarked
package dev.belay.governor.files;

import org.jspecify.annotations.NullMarked;
