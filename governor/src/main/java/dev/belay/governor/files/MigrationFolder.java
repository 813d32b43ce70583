package dev.belay.governor.files;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Script.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads {@code V<version>__<text>.sql} files, or says everything that is wrong with them. */
public final class MigrationFolder {

  private static final Pattern NAME = Pattern.compile("V([^_]+(?:_[0-9]+)*)__(.+)\\.sql");
  private static final long MOST_BYTES = 64L << 20;

  private final Path folder;
  private final Syntax syntax;
  private final List<String> refusals = new ArrayList<>();

  private MigrationFolder(Path folder, Syntax syntax) {
    this.folder = folder;
    this.syntax = syntax;
  }

  /** In the order of their versions. */
  public static List<Migration> read(Path folder, Syntax syntax) {
    return new MigrationFolder(folder, syntax).read();
  }

  private List<Migration> read() {
    if (!Files.isDirectory(folder)) {
      throw new Refusal("folder " + folder + " is not there; give the folder of V…__….sql files");
    }
    List<Migration> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sql")).sorted().toList()) {
        readOne(file).ifPresent(found::add);
      }
    } catch (IOException e) {
      throw new Refusal("folder " + folder + " cannot be read: " + e.getMessage(), e);
    }
    found.sort(Comparator.comparing(Migration::version));
    for (int i = 1; i < found.size(); i++) {
      neighbours(found.get(i - 1), found.get(i));
    }
    if (!refusals.isEmpty()) {
      throw new Refusal(String.join("\n", refusals));
    }
    return List.copyOf(found);
  }

  private Optional<Migration> readOne(Path file) throws IOException {
    String name = file.getFileName().toString();
    Matcher m = NAME.matcher(name);
    Optional<Version> version = m.matches() ? Version.parse(m.group(1)) : Optional.empty();
    if (version.isEmpty()) {
      refuse(name, misnamed(name));
      return Optional.empty();
    }
    if (!file.toRealPath().startsWith(folder.toRealPath())) {
      refuse(name, "it leads out of the folder; copy the file into it");
      return Optional.empty();
    }
    if (Files.size(file) > MOST_BYTES) {
      refuse(name, "it is larger than 64 MB; load data by other means than a migration");
      return Optional.empty();
    }
    byte[] bytes = Files.readAllBytes(file);
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      refuse(name + ":" + lineOfBadByte(bytes), "not UTF-8; save the file as UTF-8");
      return Optional.empty();
    }
    List<Problem> problems = new ArrayList<>();
    Migration migration =
        Migration.of(version.get(), m.group(2).replace('_', ' '), name, text, syntax, problems);
    problems.forEach(p -> refuse(name + ":" + p.line(), p.what()));
    return Optional.of(migration);
  }

  private static String misnamed(String name) {
    if (name.startsWith("R__")) {
      return "repeatable migrations are not run: their order against the others is not"
          + " defined; make it the next V file";
    }
    if (name.matches("U[0-9].*")) {
      return "undo files are not run; write the statement as -- belay:undo in the V file";
    }
    return "the name must be V<version>__<text>.sql with a version like 7 or 1.4.2";
  }

  private void neighbours(Migration before, Migration after) {
    if (before.version().equals(after.version())) {
      refuse(
          after.file(),
          "version " + after.version() + " is also that of " + before.file() + "; renumber one");
    } else if (before.version().counted()
        && after.version().counted()
        && !after.version().follows(before.version())) {
      refuse(
          after.file(),
          "nothing stands between V"
              + before.version()
              + " and V"
              + after.version()
              + "; add what is missing, or renumber");
    }
  }

  private void refuse(String where, String why) {
    refusals.add(where + ": " + why);
  }

  private static int lineOfBadByte(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    StandardCharsets.UTF_8
        .newDecoder()
        .decode(in, java.nio.CharBuffer.allocate(bytes.length), true);
    int line = 1;
    for (int i = 0; i < in.position(); i++) {
      if (bytes[i] == '\n') {
        line++;
      }
    }
    return line;
  }
}
