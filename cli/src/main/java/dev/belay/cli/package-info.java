/** The command line: it reads the status and shows it. */
@NullMarked
package dev.belay.cli;

import org.jspecify.annotations.NullMarked;
