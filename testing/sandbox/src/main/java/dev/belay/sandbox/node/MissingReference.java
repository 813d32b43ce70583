package dev.belay.sandbox.node;

/** A pod names an object or key that is not there (yet). */
final class MissingReference extends Exception {
  private static final long serialVersionUID = 1L;

  MissingReference(String message) {
    super(message);
  }
}
