package dev.belay.governor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.Main;
import dev.belay.governor.jdbc.Databases;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A governor in a process with little memory. */
class BigScriptIT {

  private static final int BYTES = 5 << 20;

  @TempDir Path dir;

  @Test
  void a_script_of_5_MB_fits_into_a_heap_of_64_MB() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("sql"));
    Files.writeString(folder.resolve("V1__table.sql"), "CREATE TABLE big (n int, t text);");
    StringBuilder many = new StringBuilder();
    int statements = 0;
    while (many.length() < BYTES) {
      many.append("INSERT INTO big VALUES (%d, '%s');\n".formatted(statements++, "é".repeat(200)));
    }
    Files.writeString(folder.resolve("V2__many_statements.sql"), many);
    Files.writeString(
        folder.resolve("V3__one_statement.sql"),
        "INSERT INTO big VALUES (-1, '" + "x".repeat(BYTES) + "');");
    String url = Databases.postgres();
    Process governor =
        governor("64m", "run", "--once", "--folder", folder.toString(), "--url", url);
    String said = new String(governor.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(governor.waitFor()).as(said).isZero();
    assertThat(Databases.one(url, "SELECT count(*) FROM big")).isEqualTo("" + (statements + 1));
    assertThat(Databases.one(url, "SELECT length(t) FROM big WHERE n = -1")).isEqualTo("" + BYTES);
  }

  @Test
  void ten_thousand_operations_are_queued_and_planned_in_a_heap_of_64_MB() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("sql"));
    for (int i = 1; i <= 10_000; i++) {
      Files.writeString(
          folder.resolve("V" + i + "__step.sql"), "-- " + "x".repeat(500) + "\nSELECT 1;");
    }
    String url = Databases.postgres();
    for (List<String> verb :
        List.of(
            List.of("init"),
            List.of("add", "--folder", folder.toString()),
            List.of("plan"),
            List.of("ls"))) {
      List<String> args = new ArrayList<>(verb);
      args.addAll(List.of("--url", url));
      Process governor = governor("64m", args.toArray(String[]::new));
      String said = new String(governor.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(governor.waitFor())
          .as(verb + ": " + said.substring(0, Math.min(2000, said.length())))
          .isZero();
    }
    assertThat(Databases.one(url, "SELECT count(*) FROM belay_governor_queue")).isEqualTo("10000");
  }

  private static Process governor(String heap, String... args) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(args));
    command.addAll(List.of("--user", "postgres"));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
