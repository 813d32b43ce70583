package dev.belay.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A range 127.X.0.0/16 that belongs to one sandbox as long as it lives.
 *
 * <p>A listening socket is the lock: every user of the machine sees it, and the kernel gives it
 * back however the sandbox dies.
 */
public final class LoopbackRange implements AutoCloseable {
  private static final int FIRST = 16;
  private static final int LAST = 250;
  private static final int LOCK_PORT = 10_999;

  private final int second;
  private final ServerSocket lock;

  private LoopbackRange(int second, ServerSocket lock) {
    this.second = second;
    this.lock = lock;
  }

  /** Claims a free range, the same one for the same seed when it is free. */
  public static LoopbackRange claim(String seed) {
    int count = LAST - FIRST + 1;
    int start = Math.floorMod(seed.hashCode(), count);
    for (int i = 0; i < count; i++) {
      int second = FIRST + (start + i) % count;
      ServerSocket lock = tryLock(address(second, 255, 254));
      if (lock != null) {
        return new LoopbackRange(second, lock);
      }
    }
    throw new SandboxException(
        "no free loopback range: port %d of 127.%d-%d.255.254 is taken on all; stop a sandbox"
            .formatted(LOCK_PORT, FIRST, LAST));
  }

  private static @Nullable ServerSocket tryLock(InetAddress address) {
    try {
      ServerSocket socket = new ServerSocket();
      try {
        socket.bind(new InetSocketAddress(address, LOCK_PORT), 1);
        return socket;
      } catch (IOException taken) {
        socket.close();
        return null;
      }
    } catch (IOException e) {
      throw new SandboxException("cannot open sockets on the loopback device", e);
    }
  }

  /** The address 127.X.third.fourth. */
  public InetAddress address(int third, int fourth) {
    return address(second, third, fourth);
  }

  /** A port of this address that nobody listens on; nobody else uses addresses of this range. */
  public static int freePort(InetAddress address) {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new SandboxException("no free port on " + address.getHostAddress(), e);
    }
  }

  private static InetAddress address(int second, int third, int fourth) {
    try {
      return InetAddress.getByAddress(new byte[] {127, (byte) second, (byte) third, (byte) fourth});
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new SandboxException("cannot give back the loopback range", e);
    }
  }
}
