package dev.belay.drivers.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a server whose certificate carries one given name instead of the address it was reached
 * at. The JDK's client always checks the address, so this replaces that check, and only that one.
 */
final class NamedServer extends X509ExtendedTrustManager {

  private static final Integer DNS = 2;
  private static final Integer IP = 7;

  private final X509ExtendedTrustManager chain;
  private final String name;

  NamedServer(X509ExtendedTrustManager chain, String name) {
    this.chain = chain;
    this.name = name.toLowerCase(Locale.ROOT);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(certificates, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(certificates, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type)
      throws CertificateException {
    chain.checkServerTrusted(certificates, type);
    Collection<List<?>> names = certificates[0].getSubjectAlternativeNames();
    if (names == null || names.stream().noneMatch(this::matches)) {
      throw new CertificateException(
          "the certificate carries " + (names == null ? "no names" : names) + ", not " + name);
    }
  }

  private boolean matches(List<?> alternative) {
    if (!(alternative.get(1) instanceof String text)) {
      return false;
    }
    String given = text.toLowerCase(Locale.ROOT);
    if (alternative.get(0).equals(IP)) {
      return given.equals(name);
    }
    // A wildcard stands for exactly one label.
    int dot = name.indexOf('.');
    return alternative.get(0).equals(DNS)
        && (given.equals(name)
            || (given.startsWith("*.")
                && dot > 0
                && given.substring(1).equals(name.substring(dot))));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
      throws CertificateException {
    chain.checkClientTrusted(certificates, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type, Socket socket)
      throws CertificateException {
    chain.checkClientTrusted(certificates, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type)
      throws CertificateException {
    chain.checkClientTrusted(certificates, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return chain.getAcceptedIssuers();
  }
}
