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
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads {@code V<version>__<text>.sql} texts, or says everything that is wrong with them. */
public final class MigrationFolder {

  private static final Pattern NAME =
      Pattern.compile("V([^_]+(?:_[0-9]+)*)__([^/\\\\\\p{Cntrl}]+)\\.sql");
  private static final long MOST_BYTES = 64L << 20;

  private final Syntax syntax;
  private final List<Migration> found = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();

  private MigrationFolder(Syntax syntax) {
    this.syntax = syntax;
  }

  /** The files of a folder, in the order of their versions. */
  public static List<Migration> read(Path folder, Syntax syntax) {
    return new MigrationFolder(syntax).read(folder);
  }

  /** The same of texts that are no files, by what their files would be called. */
  public static List<Migration> of(Map<String, String> texts, Syntax syntax) {
    MigrationFolder all = new MigrationFolder(syntax);
    texts.forEach((name, text) -> all.named(name).ifPresent(v -> all.add(name, v, text)));
    return all.inOrder();
  }

  private List<Migration> read(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new Refusal("folder " + folder + " is not there; give the folder of V…__….sql files");
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sql")).sorted().toList()) {
        readOne(folder, file);
      }
    } catch (IOException e) {
      throw new Refusal("folder " + folder + " cannot be read: " + e.getMessage(), e);
    }
    return inOrder();
  }

  private List<Migration> inOrder() {
    found.sort(Comparator.comparing(Migration::version));
    for (int i = 1; i < found.size(); i++) {
      neighbours(found.get(i - 1), found.get(i));
    }
    if (!refusals.isEmpty()) {
      throw new Refusal(String.join("\n", refusals));
    }
    return List.copyOf(found);
  }

  private void readOne(Path folder, Path file) throws IOException {
    String name = file.getFileName().toString();
    Optional<Version> version = named(name);
    if (version.isEmpty()) {
      return;
    }
    if (!file.toRealPath().startsWith(folder.toRealPath())) {
      refuse(name, "it leads out of the folder; copy the file into it");
      return;
    }
    if (Files.size(file) > MOST_BYTES) {
      refuse(name, "it is larger than 64 MB; load data by other means than a migration");
      return;
    }
    byte[] bytes = Files.readAllBytes(file);
    try {
      add(
          name,
          version.get(),
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      refuse(name + ":" + lineOfBadByte(bytes), "not UTF-8; save the file as UTF-8");
    }
  }

  private Optional<Version> named(String name) {
    Matcher m = NAME.matcher(name);
    Optional<Version> version = m.matches() ? Version.parse(m.group(1)) : Optional.empty();
    if (version.isEmpty()) {
      refuse(name, misnamed(name));
    }
    return version;
  }

  private void add(String name, Version version, String text) {
    List<Problem> problems = new ArrayList<>();
    String description = name.substring(name.indexOf("__") + 2, name.length() - ".sql".length());
    found.add(Migration.of(version, description.replace('_', ' '), name, text, syntax, problems));
    problems.forEach(p -> refuse(name + ":" + p.line(), p.what()));
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
