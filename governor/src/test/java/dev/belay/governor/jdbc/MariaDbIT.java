package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MariaDbIT implements FileAccess {

  @Override
  public Target fresh() throws SQLException {
    return MariaDb.shared().database();
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return MariaDb.connect(t);
  }

  @Override
  public Target clerk(Target t) throws SQLException {
    return MariaDb.clerk(t);
  }

  @Override
  public List<String> thefts(Path file) {
    return MariaDb.thefts(file);
  }

  @Override
  public boolean scriptsAreAtomic() {
    return false;
  }

  @Override
  public String currentSchema() {
    return "DATABASE()";
  }

  @Override
  public String whenDmlIsInDoubt(int n) {
    return "-- belay:verify SELECT COUNT(*) FROM done_by_op WHERE n = " + n + "\n";
  }

  /** What the URL says counts for more than a property, whatever its case. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "allowLocalInfile=true",
        "ALLOWLOCALINFILE=1",
        "allowLocalInfile",
        "allowLocalInfile=false&allowLocalInfile=true"
      })
  void a_url_does_not_switch_local_files_on(String parameter) throws SQLException {
    Target t = fresh();
    Target open = new Target(t.url() + "&" + parameter, t.user(), t.password());
    assertThatThrownBy(() -> Session.open(open, "test"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("allowLocalInfile")
        .hasMessageContaining("fix: ");
  }
}
