package dev.belay.drivers.mysql;

import dev.belay.drivers.DriverConfig.Tls;
import dev.belay.drivers.tls.TlsContext;
import java.io.IOException;
import java.net.Socket;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.HostAddress;
import org.mariadb.jdbc.export.ExceptionFactory;
import org.mariadb.jdbc.plugin.TlsSocketPlugin;

/**
 * Makes the JDBC driver trust and identify itself as all drivers of Belay do. The JDBC driver finds
 * this class by name and passes only text on, hence the table.
 */
public final class TlsSockets implements TlsSocketPlugin {

  private static final String NAME = "belay";
  private static final String KEY = "belayTls";
  private static final Map<String, TlsContext.Parts> CONTEXTS = new ConcurrentHashMap<>();

  /** For the service loader. */
  public TlsSockets() {}

  /** The key under which sockets of this kind are made, until it is forgotten. */
  static String prepare(Tls tls) {
    String key = UUID.randomUUID().toString();
    CONTEXTS.put(key, TlsContext.parts(tls));
    return key;
  }

  static void forget(String key) {
    CONTEXTS.remove(key);
  }

  static void use(Properties options, String key) {
    options.setProperty("tlsSocketType", NAME);
    options.setProperty(KEY, key);
  }

  @Override
  public String type() {
    return NAME;
  }

  /** The JDK compares the address with the certificate only where it is asked to. */
  @Override
  public SSLSocket createSocket(Socket socket, SSLSocketFactory factory, String host)
      throws IOException {
    var secured = (SSLSocket) factory.createSocket(socket, host, socket.getPort(), true);
    var parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    return secured;
  }

  @Override
  public TrustManager[] getTrustManager(
      Configuration conf, ExceptionFactory exceptions, HostAddress host) throws SQLException {
    return parts(conf, exceptions).trust().toArray(TrustManager[]::new);
  }

  @Override
  public KeyManager[] getKeyManager(Configuration conf, ExceptionFactory exceptions)
      throws SQLException {
    return parts(conf, exceptions).identity().toArray(KeyManager[]::new);
  }

  private static TlsContext.Parts parts(Configuration conf, ExceptionFactory exceptions)
      throws SQLException {
    TlsContext.Parts parts = CONTEXTS.get(conf.nonMappedOptions().getProperty(KEY, ""));
    if (parts == null) {
      throw exceptions.create("the driver was closed");
    }
    return parts;
  }
}
