package dev.belay.drivers.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Certificates and keys from PEM text. Messages name the field, never what is in it. */
final class Pem {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private Pem() {}

  static List<X509Certificate> certificates(byte[] pem, String field) {
    try {
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (found.isEmpty()) {
        throw unreadable(field, "holds no certificate", null);
      }
      return found;
    } catch (CertificateException e) {
      throw unreadable(field, "holds no readable certificate", e);
    }
  }

  static PrivateKey key(byte[] pem, String field) {
    var block = BLOCK.matcher(new String(pem, StandardCharsets.US_ASCII));
    while (block.find()) {
      String kind = block.group(1);
      // EC files often begin with the curve, which the key itself names again.
      if (kind.endsWith("PRIVATE KEY")) {
        return key(kind, decode(block.group(2), field), field);
      }
    }
    throw unreadable(field, "holds no private key", null);
  }

  private static PrivateKey key(String kind, byte[] der, String field) {
    return switch (kind) {
      case "PRIVATE KEY" -> anyOf(List.of("RSA", "EC", "EdDSA"), der, field);
      case "RSA PRIVATE KEY" -> anyOf(List.of("RSA"), Pkcs8.ofRsa(der), field);
      case "EC PRIVATE KEY" -> {
        try {
          yield anyOf(List.of("EC"), Pkcs8.ofEc(der), field);
        } catch (IndexOutOfBoundsException e) {
          throw unreadable(field, "holds a broken EC key", e);
        }
      }
      default ->
          throw unreadable(field, "holds an \"" + kind + "\", which must be decrypted first", null);
    };
  }

  private static PrivateKey anyOf(List<String> algorithms, byte[] pkcs8, String field) {
    return algorithms.stream()
        .flatMap(algorithm -> one(algorithm, pkcs8).stream())
        .findFirst()
        .orElseThrow(() -> unreadable(field, "holds a key that is not one of " + algorithms, null));
  }

  private static Optional<PrivateKey> one(String algorithm, byte[] pkcs8) {
    try {
      return Optional.of(
          KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8)));
    } catch (InvalidKeySpecException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no " + algorithm, e);
    }
  }

  private static byte[] decode(String base64, String field) {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw unreadable(field, "is cut short or damaged", e);
    }
  }

  private static IllegalArgumentException unreadable(
      String field, String what, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "tls." + field + " " + what + "; give PEM text that begins with -----BEGIN", cause);
  }
}
