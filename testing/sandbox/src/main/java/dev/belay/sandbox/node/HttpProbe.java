package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.HTTPGetAction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** One HTTP GET as a kubelet sends it: certificates are not verified, 200 to 399 is well. */
final class HttpProbe {
  private HttpProbe() {}

  static Launcher.Outcome get(HTTPGetAction action, String host, int port, Duration timeout) {
    String path = Optional.ofNullable(action.getPath()).orElse("/");
    String where = "http %s:%d%s".formatted(host, port, path);
    int millis = (int) timeout.toMillis();
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(host, port), millis);
      plain.setSoTimeout(millis);
      boolean secure = "HTTPS".equals(action.getScheme());
      Socket socket =
          secure ? trusting().getSocketFactory().createSocket(plain, host, port, true) : plain;
      socket.getOutputStream().write(request(action, path, host, port));
      String status = line(socket);
      String[] words = status.split(" ", 3);
      int code = words.length > 1 && words[1].matches("\\d{3}") ? Integer.parseInt(words[1]) : 0;
      return code >= 200 && code < 400
          ? new Launcher.Outcome(true, status)
          : new Launcher.Outcome(false, "HTTP probe failed with statuscode: " + code);
    } catch (IOException | GeneralSecurityException e) {
      return new Launcher.Outcome(false, where + ": " + e.getMessage());
    }
  }

  static Launcher.Outcome connect(String host, int port, Duration timeout) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
      return new Launcher.Outcome(true, "");
    } catch (IOException e) {
      return new Launcher.Outcome(
          false, "dial tcp %s:%d: %s".formatted(host, port, e.getMessage()));
    }
  }

  private static byte[] request(HTTPGetAction action, String path, String host, int port) {
    StringBuilder text = new StringBuilder("GET ").append(path).append(" HTTP/1.1\r\n");
    boolean ownHost = false;
    for (var header : action.getHttpHeaders()) {
      ownHost |= header.getName().equalsIgnoreCase("Host");
      text.append(header.getName()).append(": ").append(header.getValue()).append("\r\n");
    }
    if (!ownHost) {
      text.append("Host: ").append(host).append(':').append(port).append("\r\n");
    }
    text.append("User-Agent: kube-probe/1.36\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static String line(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = socket.getInputStream().read(); c >= 0 && c != '\n'; ) {
      line.append((char) c);
      c = line.length() > 1024 ? -1 : socket.getInputStream().read();
    }
    return line.toString().strip();
  }

  private static SSLContext trusting() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    return context;
  }

  /** A probe asks whether somebody answers, not who it is. */
  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
