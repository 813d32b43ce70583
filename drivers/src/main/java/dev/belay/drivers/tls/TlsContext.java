package dev.belay.drivers.tls;

import dev.belay.drivers.DriverConfig.Tls;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Builds the JDK's TLS context from PEM text; throws with field and cure when it cannot. */
public final class TlsContext {

  private static final char[] IN_MEMORY_ONLY = "in-memory-only".toCharArray();

  private TlsContext() {}

  /** What a context is made of, for clients that insist on making it themselves. */
  public record Parts(List<KeyManager> identity, List<TrustManager> trust) {}

  public static SSLContext of(Tls tls) {
    Parts parts = parts(tls);
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          parts.identity.toArray(KeyManager[]::new),
          parts.trust.toArray(TrustManager[]::new),
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK makes no TLS context", e);
    }
  }

  public static Parts parts(Tls tls) {
    @Nullable List<X509Certificate> authorities =
        tls.ca().map(ca -> Pem.certificates(ca, "ca")).orElse(null);
    try {
      X509ExtendedTrustManager trusted = trusting(authorities);
      TrustManager trust =
          tls.serverName().<TrustManager>map(n -> new NamedServer(trusted, n)).orElse(trusted);
      return new Parts(List.of(identity(tls)), List.of(trust));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "tls: the certificate and key do not fit together (" + e.getMessage() + ")", e);
    }
  }

  private static X509ExtendedTrustManager trusting(@Nullable List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    if (authorities == null) {
      factory.init((KeyStore) null);
    } else {
      KeyStore store = emptyStore();
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry("ca-" + i, authorities.get(i));
      }
      factory.init(store);
    }
    return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
  }

  private static KeyManager[] identity(Tls tls) throws GeneralSecurityException, IOException {
    if (tls.certificate().isEmpty() || tls.key().isEmpty()) {
      return new KeyManager[0];
    }
    List<X509Certificate> chain = Pem.certificates(tls.certificate().get(), "certificate");
    PrivateKey key = Pem.key(tls.key().get(), "key");
    KeyStore store = emptyStore();
    store.setKeyEntry("client", key, IN_MEMORY_ONLY, chain.toArray(X509Certificate[]::new));
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, IN_MEMORY_ONLY);
    return factory.getKeyManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
