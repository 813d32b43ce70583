package dev.belay.drivers.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/** An authority of the test's own, and what it signs, made with the JDK's keytool. */
public final class Certificates {

  private static final String PASSWORD = "changeit";

  private final Path store;

  public Certificates(Path dir, String authority) {
    store = dir.resolve(authority + ".p12");
    keytool("-alias", "ca", "-dname", "CN=" + authority, "-ext", "bc:c");
  }

  /** Signs a certificate for these names, as keytool writes them: {@code ip:…,dns:…}. */
  public Certificates sign(String alias, String names) {
    keytool("-alias", alias, "-signer", "ca", "-dname", "CN=" + alias, "-ext", "san=" + names);
    return this;
  }

  public byte[] certificate(String alias) {
    return load(keys -> pem("CERTIFICATE", keys.getCertificate(alias).getEncoded()));
  }

  public byte[] key(String alias) {
    return load(
        keys -> pem("PRIVATE KEY", keys.getKey(alias, PASSWORD.toCharArray()).getEncoded()));
  }

  public Path file(String name, byte[] content) {
    try {
      return Files.write(store.resolveSibling(name), content);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Reading {
    byte[] from(KeyStore keys) throws GeneralSecurityException;
  }

  private byte[] load(Reading reading) {
    try {
      return reading.from(KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] pem(String kind, byte[] der) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return ("-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private void keytool(String... more) {
    var command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-J-XX:TieredStopAtLevel=1",
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-validity",
                    "2",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD),
                Stream.of(more))
            .toList();
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(List.of(more) + ": " + said);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
