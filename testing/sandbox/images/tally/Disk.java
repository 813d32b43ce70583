import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a member keeps, in three files: its vote, its log, and whether it is drained. */
record Disk(Path folder) {

  /** For whom it voted in which term; the empty name for nobody. */
  record Vote(long term, String candidate) {}

  Vote vote() throws IOException {
    if (!Files.exists(folder.resolve("vote"))) {
      return new Vote(0, "");
    }
    String[] words = Files.readString(folder.resolve("vote")).split(" ", -1);
    return new Vote(Long.parseLong(words[0]), words[1]);
  }

  /** Whether it takes no new work, and how often it was told so. */
  record Drain(boolean drained, long times) {}

  Drain drain() throws IOException {
    if (!Files.exists(folder.resolve("drain"))) {
      return new Drain(false, 0);
    }
    String[] words = Files.readString(folder.resolve("drain")).split(" ");
    return new Drain(Boolean.parseBoolean(words[0]), Long.parseLong(words[1]));
  }

  void drain(Drain drain) {
    replace("drain", drain.drained + " " + drain.times);
  }

  List<Entry> log() throws IOException {
    return Files.exists(folder.resolve("log"))
        ? new ArrayList<>(
            Files.readAllLines(folder.resolve("log")).stream().map(Entry::parse).toList())
        : new ArrayList<>();
  }

  void vote(Vote vote) {
    replace("vote", vote.term + " " + vote.candidate);
  }

  void rewrite(List<Entry> log) {
    replace("log", text(log));
  }

  void append(List<Entry> entries) {
    try {
      Files.writeString(
          folder.resolve("log"),
          text(entries),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      die(e);
    }
  }

  static String text(List<Entry> entries) {
    return entries.stream()
        .map(e -> e.term() + " " + e.text() + "\n")
        .collect(Collectors.joining());
  }

  private void replace(String file, String text) {
    try {
      Path aside = folder.resolve(file + ".new");
      Files.writeString(aside, text);
      Files.move(
          aside,
          folder.resolve(file),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      die(e);
    }
  }

  /** A member that cannot write must not promise anything any more. */
  private static void die(IOException e) {
    System.err.println("cannot write: " + e);
    Runtime.getRuntime().halt(1);
  }
}
