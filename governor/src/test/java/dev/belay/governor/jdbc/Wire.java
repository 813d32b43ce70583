package dev.belay.governor.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP wire to a database that can be cut and mended. */
final class Wire {

  private final ServerSocket server;
  private final int to;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  private Wire(ServerSocket server, int to) {
    this.server = server;
    this.to = to;
  }

  static Wire to(int port) throws IOException {
    Wire w = new Wire(new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1")), port);
    Thread.ofVirtual().start(w::accept);
    return w;
  }

  int port() {
    return server.getLocalPort();
  }

  void cut() {
    cut = true;
    open.forEach(Wire::end);
    open.clear();
  }

  void mend() {
    cut = false;
  }

  private void accept() {
    while (true) {
      try {
        Socket in = server.accept();
        if (cut) {
          end(in);
          continue;
        }
        Socket out = new Socket("127.0.0.1", to);
        open.add(in);
        open.add(out);
        pump(in, out);
        pump(out, in);
      } catch (IOException e) {
        return;
      }
    }
  }

  private void pump(Socket from, Socket into) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            from.getInputStream().transferTo(into.getOutputStream());
          } catch (IOException e) {
            // Cut.
          } finally {
            end(from);
            end(into);
          }
        });
  }

  private static void end(Socket s) {
    try {
      s.close();
    } catch (IOException e) {
      // Gone already.
    }
  }
}
