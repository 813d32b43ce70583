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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the members of a component are asked and told. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "self.type != 'none' || !(has(self.port) || has(self.address) || has(self.memberName) ||"
            + " has(self.tls) || has(self.auth))",
    reason = "FieldValueForbidden",
    message =
        "driver none asks nobody: remove port, address, memberName, tls and auth, or name the"
            + " system in type")
@ValidationRule(
    value = "(self.type == 'http') == has(self.http)",
    message =
        "type http and the field http belong together: describe the system in http, or remove http"
            + " where the type names the system")
@ValidationRule(
    value = "self.type != 'http' || has(self.port)",
    reason = "FieldValueRequired",
    message = "driver http has no port of its own: set port to where the members answer HTTP")
@ValidationRule(
    value = "self.type != 'pd' || !has(self.auth)",
    reason = "FieldValueForbidden",
    message = "PD knows no users: remove auth, and give a client certificate in tls")
@ValidationRule(
    value = "self.type != 'mysql' || has(self.auth)",
    reason = "FieldValueRequired",
    message =
        "driver mysql asks as a user of the database: set auth to the Secret with its name and"
            + " password")
@ValidationRule(
    value = "self.type != 'bookkeeper' || !has(self.auth)",
    reason = "FieldValueForbidden",
    message =
        "the admin API of bookies knows no users: remove auth, and give a client certificate in tls")
@ValidationRule(
    value = "(self.type == 'tikv') == has(self.tikv)",
    message =
        "type tikv and the field tikv belong together: say in tikv.pd where PD answers, or remove"
            + " tikv where the system is another one")
@ValidationRule(
    value = "self.type != 'tikv' || !(has(self.port) || has(self.memberName) || has(self.auth))",
    reason = "FieldValueForbidden",
    message =
        "driver tikv asks PD and not the stores, and PD knows no users: remove port, memberName and"
            + " auth; PD's port is part of tikv.pd")
@ValidationRule(
    value = "self.type == 'bookkeeper' || !has(self.options)",
    reason = "FieldValueForbidden",
    message = "options are for driver bookkeeper: remove them")
public record DriverSpec(
    @Required
        @JsonPropertyDescription(
            "The system the members form. etcd: members, leader, health and versions are read from"
                + " etcd itself. pd: the same, and both its leaders, from PD and the etcd in it."
                + " mysql: MySQL and MariaDB, roles and positions from their replication by GTIDs."
                + " bookkeeper: bookies, who takes writes and what lacks copies, from their admin API."
                + " tikv: stores, what they lead and what regions lack, from the PD in the field tikv."
                + " http: any system that speaks HTTP, described in the field http."
                + " none: readiness of the pods is all there is to know.")
        Type type,
    @Min(1)
        @Max(65535)
        @JsonPropertyDescription(
            "The port at which members answer clients. etcd and pd: 2379, mysql: 3306,"
                + " bookkeeper: 8080 unless set. http: required.")
        @Nullable Integer port,
    @JsonPropertyDescription(
            "How a member is addressed. PodDNS (unless set): <pod>.<service>.<namespace>.svc, so"
                + " that certificates verify. PodIP: the address of its pod.")
        @Nullable Address address,
    @Size(min = 1, max = 253)
        @JsonPropertyDescription(
            "What the system calls the member that lives in a pod, where {pod} stands for the"
                + " pod's name. {pod} unless set.")
        @Nullable String memberName,
    @JsonPropertyDescription("Ask by TLS, with the certificates of a Secret.") @Nullable Tls tls,
    @JsonPropertyDescription("Ask as a user, with the password of a Secret.") @Nullable Auth auth,
    @JsonPropertyDescription("With type http: what the members are asked, and where.")
        @Nullable HttpSpec http,
    @JsonPropertyDescription("With type tikv: where PD is asked for the stores.")
        @Nullable Tikv tikv,
    @JsonPropertyDescription("What only one kind of system needs to be told.")
        @Nullable Options options) {

  /** The systems Belay knows. */
  public enum Type {
    @JsonProperty("etcd")
    ETCD("etcd"),
    @JsonProperty("pd")
    PD("pd"),
    @JsonProperty("mysql")
    MYSQL("mysql"),
    @JsonProperty("bookkeeper")
    BOOKKEEPER("bookkeeper"),
    @JsonProperty("tikv")
    TIKV("tikv"),
    @JsonProperty("http")
    HTTP("http"),
    @JsonProperty("none")
    NONE("none");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    /** The word by which users and drivers call it. */
    public String word() {
      return word;
    }
  }

  /** How a member is addressed. */
  public enum Address {
    @JsonProperty("PodDNS")
    POD_DNS,
    @JsonProperty("PodIP")
    POD_IP
  }

  /** What only one kind of system needs to be told. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Options(
      @Min(1)
          @Max(1000)
          @JsonPropertyDescription(
              "With type bookkeeper: the largest ensemble size that any client uses. So many bookies"
                  + " stay writable. While it is absent nothing is known, and no bookie is taken"
                  + " down.")
          @Nullable Integer ensembleSize) {}

  /** Where the PD of a TiKV answers. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Tikv(
      @Required
          @Size(min = 1, max = 16)
          @JsonPropertyDescription(
              "Where PD answers clients: its members, or one service before them, as host or"
                  + " host:port; 2379 is the port unless given. A host with fewer than two dots is"
                  + " one of the StatefulCluster's own namespace: pd is the service pd, pd-0.pd the"
                  + " pod pd-0 behind it.")
          List<@Size(min = 1, max = 260) @Pattern(Grammar.HOST_PORT) String> pd,
      @Size(max = 16)
          @JsonPropertyDescription(
              "After how long a store goes down although it still leads regions, which are then"
                  + " without a leader for some seconds. Absent: never; after 5m a person is asked"
                  + " for, and it goes on when the leaders are gone. From 0s to 24h.")
          @Nullable String evictLeaderTimeout) {

    @ValidationRule(value = Grammar.DURATION_RULE, message = Grammar.DURATION_MESSAGE)
    @Override
    public @Nullable String evictLeaderTimeout() {
      return evictLeaderTimeout;
    }
  }

  /** Where the certificates are. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Tls(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Grammar.NAME)
          @JsonPropertyDescription(
              "The Secret with the certificates, in the StatefulCluster's own namespace.")
          String secretName,
      @Default("ca.crt")
          @Size(min = 1, max = 253)
          @JsonPropertyDescription(
              "The key of the authority that signed the members' certificates.")
          @Nullable String caKey,
      @Default("tls.crt")
          @Size(min = 1, max = 253)
          @JsonPropertyDescription(
              "The key of the client certificate. A Secret without it and without keyKey asks"
                  + " without a client certificate.")
          @Nullable String certKey,
      @Default("tls.key")
          @Size(min = 1, max = 253)
          @JsonPropertyDescription("The key of the client certificate's private key.")
          @Nullable String keyKey,
      @Size(max = 253)
          @JsonPropertyDescription(
              "The name the members' certificates must carry, where it is not the name by which"
                  + " they are asked.")
          @Nullable String serverName) {}

  /** Where user and password are. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Auth(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Grammar.NAME)
          @JsonPropertyDescription(
              "The Secret with user and password, in the StatefulCluster's own namespace.")
          String secretName,
      @Default("username")
          @Size(min = 1, max = 253)
          @JsonPropertyDescription("The key of the user's name.")
          @Nullable String usernameKey,
      @Default("password")
          @Size(min = 1, max = 253)
          @JsonPropertyDescription("The key of the password.")
          @Nullable String passwordKey) {}

  public int portOrDefault() {
    if (port != null) {
      return port;
    }
    return switch (type) {
      case MYSQL -> 3306;
      case BOOKKEEPER -> 8080;
      case ETCD, PD, TIKV, HTTP, NONE -> 2379;
    };
  }

  public Address addressOrDefault() {
    return address == null ? Address.POD_DNS : address;
  }

  public String memberNameOrDefault() {
    return memberName == null ? "{pod}" : memberName;
  }
}
