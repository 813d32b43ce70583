package dev.belay.governor.files;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What a text is recognised by; editors and Git may change its line ends and byte order mark. */
public final class Checksum {

  private Checksum() {}

  public static String of(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(normal(text).getBytes(StandardCharsets.UTF_8));
      return "sha256:" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Without byte order mark, with plain line feeds. */
  public static String normal(String text) {
    String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
    return body.replace("\r\n", "\n").replace('\r', '\n');
  }
}
