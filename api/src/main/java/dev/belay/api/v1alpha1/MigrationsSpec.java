package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** The migrations that belong to an upgrade, and the database they are for. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MigrationsSpec(
    @Required
        @JsonPropertyDescription(
            "The database that is migrated; the queue of migrations is kept in it, too.")
        Database database,
    @Required
        @Size(min = 1, max = 253)
        @Pattern(Grammar.NAME)
        @JsonPropertyDescription(
            "The ConfigMap with the migrations, in the StatefulCluster's own namespace. Its keys"
                + " are file names such as V2.0.0.1__add_a_column.sql, which belongs to version"
                + " 2.0.0; comments at the top of each say its phase and whether it is reversible.")
        String source,
    @Size(min = 1, max = 63)
        @Pattern(Grammar.LABEL)
        @JsonPropertyDescription(
            "The component whose versions the migrations are named after. The first one unless"
                + " set.")
        @Nullable String component,
    @Default("None")
        @JsonPropertyDescription(
            "Before what a person is asked. None (the default): nothing. BeforeContract: before"
                + " what only the old version needs is removed. See upgrade.approval for"
                + " BeforeIrreversible, which holds for migrations, too.")
        @Nullable Approval approval,
    @Default("0s")
        @Size(max = 16)
        @JsonPropertyDescription(
            "How long every member must have run the new version before migrations of phase"
                + " contract are carried out. From 0s to 24h, such as 10m or 1h30m.")
        @Nullable String soak) {

  /** Before what a person is asked. */
  public enum Approval {
    @JsonProperty("None")
    NONE,
    @JsonProperty("BeforeContract")
    BEFORE_CONTRACT
  }

  /** The kinds of database. */
  public enum Dialect {
    @JsonProperty("postgresql")
    POSTGRESQL("postgresql", 5432, ""),
    /** Its JDBC driver knows no "with TLS if the server has it", and insists on TLS by default. */
    @JsonProperty("mariadb")
    MARIADB("mariadb", 3306, "?sslMode=disable");

    private final String word;
    private final int port;
    private final String parameters;

    Dialect(String word, int port, String parameters) {
      this.word = word;
      this.port = port;
      this.parameters = parameters;
    }
  }

  /** Where the database is. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "has(self.url) != has(self.service)",
      message =
          "needs either url, such as jdbc:postgresql://db.example:5432/app, or service, name and"
              + " dialect")
  @ValidationRule(
      value = "!has(self.service) || (has(self.name) && has(self.dialect))",
      reason = "FieldValueRequired",
      message = "a service alone is no database: set name, and dialect to postgresql or mariadb")
  @ValidationRule(
      value = "!has(self.url) || !(has(self.port) || has(self.name) || has(self.dialect))",
      reason = "FieldValueForbidden",
      message = "the url says it all: remove port, name and dialect, or use service instead of url")
  public record Database(
      @Size(max = 512)
          @JsonPropertyDescription(
              "Where it is, without user and password: jdbc:postgresql://HOST:PORT/DB or"
                  + " jdbc:mariadb://HOST:PORT/DB, the latter for MySQL, too.")
          @Nullable String url,
      @Size(min = 1, max = 63)
          @Pattern(Grammar.LABEL)
          @JsonPropertyDescription(
              "The Service that leads to it, in the StatefulCluster's own namespace; it must lead"
                  + " to the one that is written to. PostgreSQL is asked by TLS if it offers it,"
                  + " MariaDB is not; a url says otherwise by sslmode or sslMode.")
          @Nullable String service,
      @Min(1)
          @Max(65535)
          @JsonPropertyDescription(
              "The port of the service. postgresql: 5432, mariadb: 3306 unless set.")
          @Nullable Integer port,
      @Size(min = 1, max = 63)
          @Pattern("^[A-Za-z0-9_][A-Za-z0-9_$-]*$")
          @JsonPropertyDescription("The name of the database behind the service.")
          @Nullable String name,
      @JsonPropertyDescription(
              "What answers behind the service: postgresql, or mariadb, which MySQL is, too.")
          @Nullable Dialect dialect,
      @JsonPropertyDescription("The user who migrates, with the password of a Secret.")
          DriverSpec.@Nullable Auth auth) {

    /** Parameters of a driver could name files and classes of the operator: few are let through. */
    @ValidationRule(
        value =
            "self.matches('^jdbc:(postgresql|mariadb)://[A-Za-z0-9.:-]+/[A-Za-z0-9_$-]+([?&](sslmode|sslMode|currentSchema)=[A-Za-z0-9_-]+)*$')",
        message =
            "is not the address of a database: write jdbc:postgresql://HOST:PORT/DB or"
                + " jdbc:mariadb://HOST:PORT/DB; of parameters only sslmode, sslMode and"
                + " currentSchema are taken; user and password belong into auth")
    @Override
    public @Nullable String url() {
      return url;
    }

    /** As JDBC wants it. */
    public String jdbc(String namespace) {
      if (url != null) {
        return url;
      }
      if (dialect == null || service == null || name == null) {
        throw new IllegalStateException(
            "spec.migrations.database: has neither url nor service, name and dialect; set either");
      }
      return "jdbc:%s://%s.%s.svc:%d/%s%s"
          .formatted(
              dialect.word,
              service,
              namespace,
              port == null ? dialect.port : port,
              name,
              dialect.parameters);
    }
  }

  @ValidationRule(value = Grammar.DURATION_RULE, message = Grammar.DURATION_MESSAGE)
  @Override
  public @Nullable String soak() {
    return soak;
  }

  /** What a person decided about a migration that failed. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "(self.action == 'resolve') == has(self.applied)",
      message =
          "resolve says what was found in the database: set applied to true or false; with retry"
              + " and skip leave it out")
  public record Request(
      @Required
          @Min(1)
          @JsonPropertyDescription(
              "The number of the operation in the queue, as status.migrations.operation.id says.")
          Long id,
      @Required
          @JsonPropertyDescription(
              "retry: try it again, with the text of the ConfigMap if that was corrected. skip:"
                  + " leave it out. resolve: say by applied whether its statement took place, where"
                  + " that is in doubt.")
          Action action,
      @JsonPropertyDescription(
              "With resolve: whether the statement in doubt was found to have taken place.")
          @Nullable Boolean applied,
      @Required
          @Size(min = 1, max = 253)
          @JsonPropertyDescription(
              "Any text that differs from status.requests.migration, such as a date.")
          String token) {
    @ValidationRule(value = Grammar.TOKEN_RULE, message = Grammar.TOKEN_MESSAGE)
    @Override
    public String token() {
      return token;
    }
  }

  /** What becomes of a failed migration. */
  public enum Action {
    @JsonProperty("retry")
    RETRY,
    @JsonProperty("skip")
    SKIP,
    @JsonProperty("resolve")
    RESOLVE
  }
}
