package dev.belay.api.guard;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Workload;
import dev.belay.sandbox.Child;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Every revision of one StatefulSet that etcd stores, as etcd itself tells it: the API server and
 * its watches may be down, etcd is not.
 */
final class StoredRevisions implements AutoCloseable {

  /** What is looked at in one of them. */
  record Revision(long generation, long partition) {

    /** Where the number is in the stored object, by the field numbers of protobuf. */
    private static final int[] GENERATION = {2, 1, 7};

    private static final int[] PARTITION = {2, 2, 7, 2, 1};

    /** The four bytes before the message say that it is one of Kubernetes. */
    static Revision of(byte[] value) {
      ByteBuffer message = ByteBuffer.wrap(value, 4, value.length - 4).slice();
      return new Revision(number(message, GENERATION), number(message, PARTITION));
    }

    boolean frozen() {
      return partition == Workload.FROZEN;
    }

    /** 0 where there is none. */
    private static long number(ByteBuffer message, int... path) {
      ByteBuffer in = message.duplicate();
      while (in.hasRemaining()) {
        long tag = varint(in);
        boolean wanted = tag >>> 3 == path[0];
        switch ((int) (tag & 7)) {
          case 0 -> {
            long value = varint(in);
            if (wanted) {
              return value;
            }
          }
          case 2 -> {
            int length = (int) varint(in);
            if (wanted) {
              return number(
                  in.slice(in.position(), length), Arrays.copyOfRange(path, 1, path.length));
            }
            in.position(in.position() + length);
          }
          default -> throw new IllegalArgumentException("tag " + tag + " is not expected");
        }
      }
      return 0;
    }

    private static long varint(ByteBuffer in) {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte next = in.get();
        value |= (long) (next & 0x7f) << shift;
        if (next >= 0) {
          return value;
        }
      }
    }
  }

  private final Path file;
  private final Process etcdctl;

  private StoredRevisions(Path file, Process etcdctl) {
    this.file = file;
    this.etcdctl = etcdctl;
  }

  /** From the one after this resourceVersion on. */
  static StoredRevisions after(String resourceVersion, String namespace, String set)
      throws IOException {
    Path file = Files.createTempFile(Path.of("target"), "revisions", ".json");
    List<String> command =
        Plane.etcdctl(
            "watch",
            "/registry/statefulsets/" + namespace + "/" + set,
            "--rev=" + (Long.parseLong(resourceVersion) + 1),
            "--write-out=json");
    Process etcdctl =
        Child.fork(
            new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(file.toFile()));
    return new StoredRevisions(file, etcdctl);
  }

  /** So far, in order. */
  List<Revision> all() throws IOException {
    List<Revision> all = new ArrayList<>();
    try (var lines = Files.lines(file)) {
      // The last line may be half written.
      for (String line : (Iterable<String>) lines.filter(l -> l.endsWith("}"))::iterator) {
        for (JsonNode event : Serialization.unmarshal(line, JsonNode.class).path("Events")) {
          all.add(Revision.of(Base64.getDecoder().decode(event.path("kv").path("value").asText())));
        }
      }
    }
    return all;
  }

  @Override
  public void close() throws IOException {
    etcdctl.destroy();
    etcdctl.onExit().join();
    Files.delete(file);
  }
}
