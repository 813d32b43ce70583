package dev.belay.sandbox;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The few ASN.1 encodings that a certificate is made of. */
final class Der {
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] sequence(byte[]... parts) {
    return tagged(0x30, join(parts));
  }

  static byte[] set(byte[]... parts) {
    return tagged(0x31, join(parts));
  }

  static byte[] integer(BigInteger value) {
    return tagged(0x02, value.toByteArray());
  }

  static byte[] yes() {
    return new byte[] {0x01, 0x01, (byte) 0xff};
  }

  static byte[] utf8(String text) {
    return tagged(0x0c, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] utcTime(Instant at) {
    return tagged(0x17, UTC_TIME.format(at).getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] octets(byte[] content) {
    return tagged(0x04, content);
  }

  static byte[] bits(byte[] content, int unused) {
    return tagged(0x03, join(new byte[] {(byte) unused}, content));
  }

  static byte[] oid(String dotted) {
    String[] arcs = dotted.split("\\.", -1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(Integer.parseInt(arcs[0]) * 40 + Integer.parseInt(arcs[1]));
    for (int i = 2; i < arcs.length; i++) {
      base128(out, Integer.parseInt(arcs[i]));
    }
    return tagged(0x06, out.toByteArray());
  }

  static byte[] tagged(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length < 128) {
      out.write(content.length);
    } else {
      byte[] length = BigInteger.valueOf(content.length).toByteArray();
      int skip = length[0] == 0 ? 1 : 0;
      out.write(0x80 | (length.length - skip));
      out.write(length, skip, length.length - skip);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static void base128(ByteArrayOutputStream out, int arc) {
    int shift = 28;
    while (shift > 0 && (arc >> shift) == 0) {
      shift -= 7;
    }
    for (; shift > 0; shift -= 7) {
      out.write(0x80 | ((arc >> shift) & 0x7f));
    }
    out.write(arc & 0x7f);
  }
}
