package dev.belay.sandbox;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The sandbox's own certificate authority; its key never leaves the sandbox's folder. */
final class Authority {
  private static final String SHA256_WITH_ECDSA = "1.2.840.10045.4.3.2";
  private static final String NAME = "belay-sandbox";
  private static final Duration LIFETIME = Duration.ofDays(3650);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path folder;
  private final PrivateKey key;
  private final X509Certificate certificate;

  private Authority(Path folder, PrivateKey key, X509Certificate certificate) {
    this.folder = folder;
    this.key = key;
    this.certificate = certificate;
  }

  /** A certificate with its key, as PEM files. */
  record Identity(Path certificate, Path key) {}

  /** Whom a certificate speaks for: user and groups to the API server, addresses to clients. */
  record Subject(String name, List<String> groups, List<String> dns, List<InetAddress> addresses) {
    static Subject client(String name, String... groups) {
      return new Subject(name, List.of(groups), List.of(), List.of());
    }

    static Subject server(String name, List<String> dns, InetAddress... addresses) {
      return new Subject(name, List.of(), dns, List.of(addresses));
    }
  }

  /** Takes up the authority kept in this folder, or founds one. */
  static Authority in(Path folder) {
    Path keyFile = folder.resolve("ca.key");
    Path certificateFile = folder.resolve("ca.crt");
    try {
      if (Files.exists(keyFile) && Files.exists(certificateFile)) {
        PrivateKey key =
            KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(unpem(keyFile)));
        return new Authority(folder, key, parse(unpem(certificateFile)));
      }
      KeyPair pair = ecKey();
      Subject self = Subject.client(NAME);
      byte[] encoded = certificate(self, pair.getPublic(), name(self), pair.getPrivate(), true);
      PrivateFiles.write(keyFile, pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      Files.writeString(certificateFile, pem("CERTIFICATE", encoded));
      return new Authority(folder, pair.getPrivate(), parse(encoded));
    } catch (GeneralSecurityException | IOException e) {
      throw new SandboxException("cannot set up the certificate authority in " + folder, e);
    }
  }

  Path certificateFile() {
    return folder.resolve("ca.crt");
  }

  Path keyFile() {
    return folder.resolve("ca.key");
  }

  X509Certificate certificate() {
    return certificate;
  }

  String certificatePem() {
    try {
      return Files.readString(certificateFile());
    } catch (IOException e) {
      throw new SandboxException("cannot read " + certificateFile(), e);
    }
  }

  /** Issues a certificate and writes it with its key to {@code file.crt} and {@code file.key}. */
  Identity issue(String file, Subject subject) {
    return issue(file, subject, Authority::ecKey);
  }

  /** The same with an RSA key: fabric8 takes a bare PKCS#8 key in a kubeconfig for RSA. */
  Identity issueForKubeconfig(String file, Subject subject) {
    return issue(file, subject, Authority::rsaKey);
  }

  private interface KeySource {
    KeyPair make() throws GeneralSecurityException;
  }

  private Identity issue(String file, Subject subject, KeySource keys) {
    Identity identity = new Identity(folder.resolve(file + ".crt"), folder.resolve(file + ".key"));
    try {
      KeyPair pair = keys.make();
      byte[] issuer = certificate.getSubjectX500Principal().getEncoded();
      byte[] encoded = certificate(subject, pair.getPublic(), issuer, key, false);
      PrivateFiles.write(identity.key(), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      Files.writeString(identity.certificate(), pem("CERTIFICATE", encoded));
      return identity;
    } catch (GeneralSecurityException | IOException e) {
      throw new SandboxException("cannot issue a certificate for " + subject.name(), e);
    }
  }

  /** The key pair that service-account tokens are signed with. */
  Identity serviceAccountKey() {
    Identity identity = new Identity(folder.resolve("sa.pub"), folder.resolve("sa.key"));
    if (Files.exists(identity.key())) {
      return identity;
    }
    try {
      KeyPair pair = rsaKey();
      Files.writeString(identity.certificate(), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
      PrivateFiles.write(identity.key(), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      return identity;
    } catch (GeneralSecurityException | IOException e) {
      throw new SandboxException("cannot make the service-account key in " + folder, e);
    }
  }

  static PrivateKey readKey(Path file) throws IOException, GeneralSecurityException {
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(unpem(file)));
  }

  static X509Certificate readCertificate(Path file) throws IOException, GeneralSecurityException {
    return parse(unpem(file));
  }

  private static KeyPair rsaKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  private static KeyPair ecKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static byte[] certificate(
      Subject subject, PublicKey publicKey, byte[] issuer, PrivateKey signer, boolean authority)
      throws GeneralSecurityException {
    byte[] algorithm = Der.sequence(Der.oid(SHA256_WITH_ECDSA));
    Instant now = Instant.now();
    byte[] body =
        Der.sequence(
            Der.tagged(0xa0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(120, RANDOM).setBit(119)),
            algorithm,
            issuer,
            Der.sequence(
                // An hour of grace for clocks that disagree.
                Der.utcTime(now.minus(Duration.ofHours(1))), Der.utcTime(now.plus(LIFETIME))),
            name(subject),
            publicKey.getEncoded(),
            Der.tagged(0xa3, Der.sequence(extensions(subject, authority))));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(signer);
    signature.update(body);
    return Der.sequence(body, algorithm, Der.bits(signature.sign(), 0));
  }

  private static byte[] name(Subject subject) {
    List<byte[]> parts = new ArrayList<>();
    for (String group : subject.groups()) {
      parts.add(Der.set(Der.sequence(Der.oid("2.5.4.10"), Der.utf8(group))));
    }
    parts.add(Der.set(Der.sequence(Der.oid("2.5.4.3"), Der.utf8(subject.name()))));
    return Der.sequence(parts.toArray(byte[][]::new));
  }

  private static byte[] extensions(Subject subject, boolean authority) {
    List<byte[]> all = new ArrayList<>();
    if (authority) {
      all.add(critical("2.5.29.19", Der.sequence(Der.yes())));
      all.add(critical("2.5.29.15", Der.bits(new byte[] {(byte) 0x86}, 1)));
      return Der.join(all.toArray(byte[][]::new));
    }
    all.add(critical("2.5.29.15", Der.bits(new byte[] {(byte) 0x80}, 7)));
    byte[] serverAuth = Der.oid("1.3.6.1.5.5.7.3.1");
    byte[] clientAuth = Der.oid("1.3.6.1.5.5.7.3.2");
    all.add(Der.sequence(Der.oid("2.5.29.37"), Der.octets(Der.sequence(serverAuth, clientAuth))));
    List<byte[]> names = new ArrayList<>();
    for (String dns : subject.dns()) {
      names.add(Der.tagged(0x82, dns.getBytes(StandardCharsets.US_ASCII)));
    }
    for (InetAddress address : subject.addresses()) {
      names.add(Der.tagged(0x87, address.getAddress()));
    }
    if (!names.isEmpty()) {
      byte[] alternatives = Der.sequence(names.toArray(byte[][]::new));
      all.add(Der.sequence(Der.oid("2.5.29.17"), Der.octets(alternatives)));
    }
    return Der.join(all.toArray(byte[][]::new));
  }

  private static byte[] critical(String oid, byte[] value) {
    return Der.sequence(Der.oid(oid), Der.yes(), Der.octets(value));
  }

  private static X509Certificate parse(byte[] encoded) throws GeneralSecurityException {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(encoded));
  }

  private static String pem(String kind, byte[] content) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
  }

  private static byte[] unpem(Path file) throws IOException {
    String body = Files.readString(file).replaceAll("-----[A-Z ]+-----", "");
    return Base64.getMimeDecoder().decode(body);
  }
}
