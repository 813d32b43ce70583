package dev.belay.drivers.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Wraps the older RSA and EC key forms in the one form the JDK reads. */
final class Pkcs8 {

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int CURVE = 0xA0;
  private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
  private static final byte[] RSA_OID = {
    0x06, 0x09, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 0x01, 0x01, 0x01
  };
  private static final byte[] NULL = {0x05, 0x00};
  private static final byte[] EC_OID = {
    0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01
  };

  private Pkcs8() {}

  static byte[] ofRsa(byte[] pkcs1) {
    return wrap(join(RSA_OID, NULL), pkcs1);
  }

  /** SEC 1: SEQUENCE { version, key, [0] curve, [1] public key }. */
  static byte[] ofEc(byte[] sec1) {
    Element whole = Element.at(sec1, 0);
    for (int i = whole.from; i < whole.to; ) {
      Element part = Element.at(sec1, i);
      if (part.tag == CURVE) {
        return wrap(join(EC_OID, Arrays.copyOfRange(sec1, part.from, part.to)), sec1);
      }
      i = part.to;
    }
    throw new IndexOutOfBoundsException("no curve");
  }

  private static byte[] wrap(byte[] algorithm, byte[] key) {
    return der(SEQUENCE, join(VERSION_0, der(SEQUENCE, algorithm), der(OCTETS, key)));
  }

  /** Where one DER element's content lies. */
  private record Element(int tag, int from, int to) {

    static Element at(byte[] der, int at) {
      int length = der[at + 1] & 0xFF;
      int from = at + 2;
      if (length >= 0x80) {
        int bytes = length & 0x7F;
        length = 0;
        for (int i = 0; i < bytes; i++) {
          length = (length << 8) | (der[from++] & 0xFF);
        }
      }
      if (length < 0 || length > der.length - from) {
        throw new IndexOutOfBoundsException("element longer than the key");
      }
      return new Element(der[at] & 0xFF, from, from + length);
    }
  }

  private static byte[] der(int tag, byte[] content) {
    int n = content.length;
    byte[] head =
        n < 0x80
            ? new byte[] {(byte) tag, (byte) n}
            : new byte[] {(byte) tag, (byte) 0x82, (byte) (n >> 8), (byte) n};
    return join(head, content);
  }

  private static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
