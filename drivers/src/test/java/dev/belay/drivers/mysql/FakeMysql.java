package dev.belay.drivers.mysql;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.core.driver.Driver.Seat;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Replays the recorded answers of one real server in the protocol of MySQL, so that the JDBC driver
 * is on the other side, until a test makes it misbehave.
 */
final class FakeMysql implements AutoCloseable {

  /** How a question is answered. */
  @FunctionalInterface
  interface Answer {
    void to(Line line) throws IOException;
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] SEED = "abcdefgh12345678wxyz".getBytes(StandardCharsets.US_ASCII);

  /** Long password, database, protocol 4.1, transactions, secure connection, plug-ins. */
  private static final int ABILITIES = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000;

  private static final byte[] OK = {0, 0, 0, 2, 0, 0, 0};
  private static final byte[] END = {(byte) 0xfe, 0, 0, 2, 0};

  private final String name;
  private final ServerSocket door;
  private final Thread welcome;
  private final Set<Socket> guests = ConcurrentHashMap.newKeySet();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private volatile Optional<String> password = Optional.empty();

  /** What it was told to change, without questions. */
  final List<String> told = new CopyOnWriteArrayList<>();

  /** How guests set up their sessions. */
  final List<String> settings = new CopyOnWriteArrayList<>();

  FakeMysql(String folder, String name) {
    this.name = name;
    try (InputStream in =
        FakeMysql.class.getResourceAsStream("/mysql/" + folder + "/" + name + ".json")) {
      Map<String, List<Map<String, String>>> recorded =
          JSON.readValue(in, new TypeReference<>() {});
      recorded.forEach(this::says);
      says("lock", List.of(Map.of("got", "1")));
      door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    welcome = Thread.ofVirtual().start(this::welcome);
  }

  Seat seat() {
    return new Seat(name, name, URI.create("http://127.0.0.1:" + door.getLocalPort()));
  }

  FakeMysql says(String question, List<Map<String, String>> rows) {
    return on(question, line -> line.send(rows));
  }

  FakeMysql on(String question, Answer answer) {
    answers.put(question, answer);
    return this;
  }

  /** From now on only who has this password is let in. */
  void demand(String wanted) {
    password = Optional.of(wanted);
  }

  static Answer error(int code, String message) {
    return line -> line.fail(code, message);
  }

  /** Takes the question and says nothing. */
  static Answer never() {
    return line -> line.expect();
  }

  /** Promises more than it sends, and says no more. */
  static Answer half() {
    return line -> {
      line.out.write(new byte[] {100, 0, 0, 1, 5, 3});
      line.out.flush();
      line.expect();
    };
  }

  static Answer cut() {
    return line -> {
      line.out.write(new byte[] {100, 0, 0, 1, 5, 3});
      line.out.flush();
      line.socket.close();
    };
  }

  /** A whole packet that is none of MySQL's. */
  static Answer garbage(String text) {
    return line -> line.packet(text.getBytes(StandardCharsets.UTF_8));
  }

  private void welcome() {
    while (true) {
      try {
        Socket guest = door.accept();
        guests.add(guest);
        Thread.ofVirtual().start(() -> converse(guest));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void converse(Socket guest) {
    try (guest) {
      var line = new Line(guest);
      if (!letIn(line)) {
        line.fail(1045, "Access denied for user 'root'@'localhost' (using password: YES)");
        return;
      }
      line.packet(OK);
      while (true) {
        byte[] said = line.expect();
        if (said[0] == 1) {
          return;
        }
        hear(
            line, said[0] == 3 ? new String(said, 1, said.length - 1, StandardCharsets.UTF_8) : "");
      }
    } catch (IOException gone) {
      // The guest hung up, or the test is over.
    }
  }

  private void hear(Line line, String sql) throws IOException {
    Optional<String> question = question(sql);
    if (question.isPresent()) {
      answers.get(question.get()).to(line);
    } else {
      if (sql.matches("(?i)(SET GLOBAL|STOP|START|CHANGE|RESET).*")) {
        told.add(sql);
      } else {
        settings.add(sql);
      }
      line.packet(OK);
    }
  }

  private static Optional<String> question(String said) {
    // How the JDBC driver asks MariaDB for at most so many rows.
    String sql = said.replaceFirst("^SET STATEMENT .*? FOR ", "");
    if (sql.equals(Questions.VERSION)) {
      return Optional.of("0-version");
    }
    return sql.equals(Conference.LOCK)
        ? Optional.of("lock")
        : Arrays.stream(Flavor.values())
            .flatMap(f -> Questions.of(f).entrySet().stream())
            .filter(e -> e.getValue().equals(sql))
            .map(Map.Entry::getKey)
            .findFirst();
  }

  private boolean letIn(Line line) throws IOException {
    var hello = new ByteArrayOutputStream();
    hello.write(10);
    hello.write("10.11.19-MariaDB\0".getBytes(StandardCharsets.US_ASCII));
    hello.write(new byte[] {1, 0, 0, 0});
    hello.write(SEED, 0, 8);
    hello.write(new byte[] {0, (byte) ABILITIES, (byte) (ABILITIES >> 8), 45, 2, 0});
    hello.write(new byte[] {(byte) (ABILITIES >> 16), (byte) (ABILITIES >> 24), 21});
    hello.write(new byte[10]);
    hello.write(SEED, 8, 12);
    hello.write("\0mysql_native_password\0".getBytes(StandardCharsets.US_ASCII));
    line.packet(hello.toByteArray());
    byte[] reply = line.expect();
    int user = 32;
    while (reply[user] != 0) {
      user++;
    }
    byte[] proof = Arrays.copyOfRange(reply, user + 2, user + 2 + reply[user + 1]);
    return password.isEmpty() || Arrays.equals(proof, proof(password.get()));
  }

  private static byte[] proof(String password) {
    try {
      var sha = MessageDigest.getInstance("SHA-1");
      byte[] once = sha.digest(password.getBytes(StandardCharsets.UTF_8));
      byte[] twice = sha.digest(once);
      sha.update(SEED);
      byte[] mask = sha.digest(twice);
      for (int i = 0; i < mask.length; i++) {
        mask[i] ^= once[i];
      }
      return mask;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns when the port is closed: it is open for as long as a virtual thread accepts on it. */
  @Override
  public void close() {
    try {
      door.close();
      welcome.join();
      for (Socket guest : guests) {
        guest.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One guest's connection, packet by packet. */
  static final class Line {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int next;

    Line(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new DataInputStream(socket.getInputStream());
      this.out = socket.getOutputStream();
      // A packet is written in two parts: without this the second one waits 40 ms for the first.
      socket.setTcpNoDelay(true);
    }

    byte[] expect() throws IOException {
      byte[] head = in.readNBytes(4);
      if (head.length < 4) {
        throw new IOException("gone");
      }
      next = head[3] + 1;
      return in.readNBytes((head[0] & 255) | (head[1] & 255) << 8 | (head[2] & 255) << 16);
    }

    void packet(byte[] body) throws IOException {
      int size = body.length;
      out.write(new byte[] {(byte) size, (byte) (size >> 8), (byte) (size >> 16), (byte) next++});
      out.write(body);
      out.flush();
    }

    void fail(int code, String message) throws IOException {
      var body = new ByteArrayOutputStream();
      body.write(new byte[] {(byte) 0xff, (byte) code, (byte) (code >> 8)});
      body.write(("#HY000" + message).getBytes(StandardCharsets.UTF_8));
      packet(body.toByteArray());
    }

    void send(List<Map<String, String>> rows) throws IOException {
      var columns = new TreeSet<String>();
      rows.forEach(r -> columns.addAll(r.keySet()));
      columns.add("also");
      packet(new byte[] {(byte) columns.size()});
      for (String column : columns) {
        var body = new ByteArrayOutputStream();
        for (String part : List.of("def", "", "", "", column, column)) {
          text(body, part);
        }
        body.write(new byte[] {12, 45, 0, 0, 0, 16, 0, (byte) 0xfd, 0, 0, 0, 0, 0});
        packet(body.toByteArray());
      }
      packet(END);
      for (Map<String, String> row : rows) {
        var body = new ByteArrayOutputStream();
        for (String column : columns) {
          if (row.containsKey(column)) {
            text(body, row.get(column));
          } else {
            body.write(0xfb);
          }
        }
        packet(body.toByteArray());
      }
      packet(END);
    }

    private static void text(ByteArrayOutputStream body, String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      int size = bytes.length;
      body.write(
          size < 251
              ? new byte[] {(byte) size}
              : new byte[] {(byte) 0xfd, (byte) size, (byte) (size >> 8), (byte) (size >> 16)});
      body.write(bytes);
    }
  }
}
