package dev.belay.cli;

/** A form for machines; the names are what a user types. */
enum Format {
  json,
  yaml
}
