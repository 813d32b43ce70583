package dev.belay.sandbox.node;

import dev.belay.sandbox.SandboxException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Keeps the hosts files in step with the pods: one for outside, one per namespace. */
final class HostsFiles {
  private final Path outside;
  private final Path folder;
  private final String apiServer;
  private final Map<String, Hosts.Entry> pods = new HashMap<>();
  private List<Hosts.ServiceEntry> services = List.of();
  private final Map<Path, String> written = new HashMap<>();

  HostsFiles(Path outside, Path folder, String apiServer) {
    this.outside = outside;
    this.folder = folder;
    this.apiServer = apiServer;
    write();
  }

  /** The file to be seen in pods of this namespace. */
  synchronized Path of(String namespace) {
    Path file = folder.resolve(namespace);
    if (!Files.exists(file)) {
      replace(file, current().seenFrom(namespace));
    }
    return file;
  }

  synchronized void put(String uid, Hosts.Entry pod) {
    if (!pod.equals(pods.put(uid, pod))) {
      write();
    }
  }

  synchronized void remove(String uid) {
    if (pods.remove(uid) != null) {
      write();
    }
  }

  synchronized void services(List<Hosts.ServiceEntry> current) {
    if (!services.equals(current)) {
      services = List.copyOf(current);
      write();
    }
  }

  private Hosts current() {
    List<Hosts.Entry> sorted = new ArrayList<>(pods.values());
    sorted.sort(Comparator.comparing(Hosts.Entry::namespace).thenComparing(Hosts.Entry::pod));
    return new Hosts(sorted, services, apiServer);
  }

  private void write() {
    Hosts hosts = current();
    replace(outside, hosts.seenFromOutside());
    var namespaces = new TreeSet<String>();
    pods.values().forEach(pod -> namespaces.add(pod.namespace()));
    namespaces.forEach(namespace -> replace(folder.resolve(namespace), hosts.seenFrom(namespace)));
  }

  /**
   * Writes in place, because pods hold this very file through a bind mount, and never makes it
   * shorter, so that nobody reads a half line between writing and cutting.
   */
  private void replace(Path file, String content) {
    if (content.equals(written.put(file, content))) {
      return;
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long missing = channel.size() - content.length();
      String padding = missing > 0 ? " ".repeat((int) missing - 1) + "\n" : "";
      ByteBuffer buffer = StandardCharsets.US_ASCII.encode(content + padding);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      throw new SandboxException("cannot write " + file, e);
    }
  }
}
