package dev.belay.cli;

/** What a piece of text means, as a colour. */
enum Hue {
  PLAIN(""),
  STRONG("1"),
  QUIET("2"),
  GOOD("32"),
  BUSY("36"),
  CARE("33"),
  BAD("31");

  private final String code;

  Hue(String code) {
    this.code = code;
  }

  String paint(String text) {
    return code.isEmpty() || text.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
  }

  static Hue ofPhase(String phase) {
    return switch (phase) {
      case "Idle" -> GOOD;
      case "Adopting", "Upgrading" -> BUSY;
      case "Waiting", "Paused", "RollingBack" -> CARE;
      case "Held", "Failed" -> BAD;
      default -> QUIET;
    };
  }
}
