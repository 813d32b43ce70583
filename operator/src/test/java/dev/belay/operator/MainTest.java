package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Bad arguments of the process: each is refused before anything is read or written. */
class MainTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --install=Belay                                | --install 'Belay'; fix: use at most 54
          --lease-namespace=a/b                          | --lease-namespace 'a/b' is not a namespace; fix: use at most 63
          --lease-namespace=                             | --lease-namespace '' is not a namespace; fix:
          --namespace=db,Größe                           | --namespace 'Größe' is not a namespace; fix:
          --identity=                                    | --identity is empty; fix: give this process a name
          --selector=a==b=c                              | --selector 'a==b=c': found '=', expected ',' or the end
          --max-upgrades=-1                              | --max-upgrades -1; fix: give a number
          --metrics-port=65536                           | --metrics-port 65536; fix: give a port
          --uninstall                                    | --uninstall without --install; fix: name the install to remove
          --uninstall --lease-namespace=belay-system     | --uninstall without --install; fix:
          --uninstall --install=belay                    | --uninstall without --lease-namespace; fix: name its namespace
          """)
  void a_bad_argument_is_refused_with_the_flag_and_the_fix(String arguments, String said) {
    var errors = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      assertThat(new CommandLine(new Main()).execute(arguments.split(" +"))).isEqualTo(2);
    } finally {
      System.setErr(before);
    }
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .startsWith("belay-operator: ")
        .contains(said);
  }
}
