package dev.belay.cli;

import java.nio.charset.Charset;

/** The signs that not every terminal can show. */
record Glyphs(String arrow, String branch, String last, String trunk, String gap, String more) {

  static final Glyphs UNICODE = new Glyphs("→", "├─ ", "└─ ", "│  ", "   ", "…");
  static final Glyphs ASCII = new Glyphs("->", "|- ", "`- ", "|  ", "   ", "...");

  static Glyphs in(Charset charset) {
    return charset.newEncoder().canEncode("→├└│…") ? UNICODE : ASCII;
  }
}
