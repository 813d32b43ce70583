package dev.belay.drivers.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The processes of one real cluster by number, each on a loopback address of its own. */
public final class Processes implements AutoCloseable {

  private final String network = freeNetwork();
  private final Map<Integer, Process> processes = new HashMap<>();
  private final Thread onExit = new Thread(this::killAll);

  public Processes() {
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  /** The program of this name and version that the sandbox was built with. */
  public static Path binary(String folder, String program) {
    String cache = System.getProperty("belay.cache", System.getenv("BELAY_CACHE"));
    Path root =
        cache == null
            ? Path.of(System.getProperty("user.home"), ".cache", "belay")
            : Path.of(cache);
    Path binary = root.resolve(folder).resolve(program);
    if (!Files.isExecutable(binary)) {
      throw new IllegalStateException(binary + " is missing; run: make binaries");
    }
    return binary;
  }

  /** What all addresses have in common. */
  public String network() {
    return network;
  }

  public String host(int i) {
    return network + (i + 1);
  }

  public void start(int i, List<String> command, Map<String, String> environment, Path log) {
    var builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    try {
      processes.put(i, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As a kubelet does it: SIGTERM, and SIGKILL for whoever is still there after half a minute. */
  public void stop(int i) {
    processes.get(i).destroy();
    if (!ends(i)) {
      kill(i);
    }
  }

  /** SIGKILL, and waits until it is gone. */
  public void kill(int i) {
    processes.get(i).destroyForcibly();
    gone(i);
  }

  /** Waits until it has ended. */
  public void gone(int i) {
    if (!ends(i)) {
      throw new IllegalStateException("process " + i + " does not stop");
    }
  }

  private boolean ends(int i) {
    try {
      return processes.get(i).waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public boolean alive(int i) {
    return processes.get(i).isAlive();
  }

  /** STOP freezes it, CONT lets it go on. */
  public void signal(int i, String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(processes.get(i).pid()))
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void killAll() {
    processes.values().forEach(Process::destroyForcibly);
  }

  @Override
  public void close() {
    killAll();
    processes.keySet().forEach(this::gone);
    Runtime.getRuntime().removeShutdownHook(onExit);
  }

  /** 127.x.y. on which nobody listens yet: tests may run side by side. */
  private static String freeNetwork() {
    String network;
    do {
      var random = ThreadLocalRandom.current();
      network = "127." + random.nextInt(100, 250) + "." + random.nextInt(1, 250) + ".";
    } while (!isFree(network));
    return network;
  }

  private static boolean isFree(String network) {
    try (var probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getAllByName(network + "1")[0], 2380));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
