package dev.belay.drivers.wire;

/** Ends the parsing of one answer; never leaves {@link Fields#read}. */
public final class Malformed extends RuntimeException {

  private static final long serialVersionUID = 1;

  public Malformed(String what) {
    super(what);
  }
}
