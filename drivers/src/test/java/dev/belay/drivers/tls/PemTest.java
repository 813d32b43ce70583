package dev.belay.drivers.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.drivers.DriverConfig.Tls;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

  /** The algorithm header in front of a 2048-bit RSA key in PKCS#8. */
  private static final int RSA_HEADER = 26;

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC", "Ed25519"})
  void reads_keys_in_todays_form(String algorithm) throws GeneralSecurityException {
    PrivateKey key = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    assertThat(Pem.key(pem("PRIVATE KEY", key.getEncoded()), "key")).isEqualTo(key);
  }

  @Test
  void reads_the_older_rsa_form() throws GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    PrivateKey key = generator.generateKeyPair().getPrivate();
    byte[] whole = key.getEncoded();
    byte[] pkcs1 = Arrays.copyOfRange(whole, RSA_HEADER, whole.length);
    assertThat(Pem.key(pem("RSA PRIVATE KEY", pkcs1), "key")).isEqualTo(key);
  }

  @Test
  void reads_the_older_ec_form_with_the_curve_in_front() throws GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    var key = (ECPrivateKey) generator.generateKeyPair().getPrivate();
    String secret = "%064x".formatted(key.getS());
    byte[] curve = HexFormat.of().parseHex("06082a8648ce3d030107");
    byte[] sec1 =
        HexFormat.of().parseHex("3031" + "020101" + "0420" + secret + "a00a06082a8648ce3d030107");
    String both = text("EC PARAMETERS", curve) + text("EC PRIVATE KEY", sec1);
    var read = (ECPrivateKey) Pem.key(both.getBytes(StandardCharsets.US_ASCII), "key");
    assertThat(read.getS()).isEqualTo(key.getS());
    assertThat(read.getParams().getOrder()).isEqualTo(key.getParams().getOrder());
  }

  @Test
  void an_encrypted_key_is_refused_with_the_cure() {
    assertThatThrownBy(() -> Pem.key(pem("ENCRYPTED PRIVATE KEY", new byte[] {1}), "key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tls.key holds an \"ENCRYPTED PRIVATE KEY\"")
        .hasMessageContaining("decrypted first");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"})
  void garbage_is_refused_by_field_and_never_shown(String text) {
    assertThatThrownBy(() -> Pem.key(text.getBytes(StandardCharsets.US_ASCII), "key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("tls.key holds ")
        .hasMessageNotContaining("AAAA");
  }

  @ParameterizedTest
  @ValueSource(strings = {"30", "3005020101", "3084ffffffff"})
  void a_broken_ec_key_is_refused(String hex) {
    byte[] der = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> Pem.key(pem("EC PRIVATE KEY", der), "key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broken EC key");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"})
  void an_authority_that_is_none_is_refused(String text) {
    assertThatThrownBy(() -> TlsContext.of(Tls.trusting(text.getBytes(StandardCharsets.US_ASCII))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("tls.ca holds no ");
  }

  private static byte[] pem(String kind, byte[] der) {
    return text(kind, der).getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(String kind, byte[] der) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder().encodeToString(der)
        + "\n-----END "
        + kind
        + "-----\n";
  }
}
