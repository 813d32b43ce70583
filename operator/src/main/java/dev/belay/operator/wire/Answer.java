package dev.belay.operator.wire;

/** What became of asking once: whether it was good, and what was read, for people. */
public record Answer(boolean good, String reading) {

  private static final int LONGEST = 120;

  public static Answer good(String reading) {
    return new Answer(true, reading);
  }

  public static Answer bad(String reading) {
    return new Answer(false, reading);
  }

  /** What others wrote ends up in a status: printable and short. */
  static String clip(String text) {
    String printable = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return printable.length() > LONGEST ? printable.substring(0, LONGEST) + "…" : printable;
  }
}
