package dev.belay.demo;

/** Colours where they help, nothing where they would be noise. */
public record Paint(boolean on) {

  String bold(String text) {
    return wrap("1", text);
  }

  String dim(String text) {
    return wrap("2", text);
  }

  String red(String text) {
    return wrap("1;31", text);
  }

  String green(String text) {
    return wrap("32", text);
  }

  String yellow(String text) {
    return wrap("33", text);
  }

  String cyan(String text) {
    return wrap("36", text);
  }

  private String wrap(String code, String text) {
    return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
