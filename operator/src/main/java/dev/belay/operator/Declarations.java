package dev.belay.operator;

import com.fasterxml.jackson.core.JsonPointer;
import dev.belay.api.v1alpha1.HttpSpec;
import dev.belay.drivers.http.Declaration;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.Lag;
import dev.belay.drivers.http.Declaration.Leadership;
import dev.belay.drivers.http.Declaration.MemberList;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.SendTo;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Source;
import dev.belay.drivers.http.Declaration.Transfer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From driver.http of the resource to what its driver asks: every default in its place. */
final class Declarations {

  private static final List<String> YES = List.of("true");

  private final HttpSpec spec;

  private Declarations(HttpSpec spec) {
    this.spec = spec;
  }

  static Declaration of(HttpSpec spec) {
    return new Declarations(spec).declaration();
  }

  private Declaration declaration() {
    return new Declaration(
        Objects.requireNonNullElse(spec.headers(), Map.of()),
        serving(spec.healthy()),
        Optional.ofNullable(spec.leader()).map(this::leadership),
        Optional.ofNullable(spec.voter()).map(v -> flag(v.path(), v.pointer(), v.is())),
        Optional.ofNullable(spec.lag()).map(l -> new Lag(place(l.path(), l.pointer()), l.max())),
        text(spec.version()),
        text(spec.clusterId()),
        Optional.ofNullable(spec.members())
            .map(m -> new MemberList(place(m.path(), m.pointer()), pointer(m.name()))),
        Optional.ofNullable(spec.minHealthy()));
  }

  private Serving serving(HttpSpec.Healthy healthy) {
    Integer status = healthy.status();
    return status == null
        ? new Serving.ByValue(flag(healthy.path(), healthy.pointer(), healthy.is()))
        : new Serving.ByStatus(path(healthy.path()), status);
  }

  private Leadership leadership(HttpSpec.Leader leader) {
    return new Leadership(source(leader), text(leader.term()), transfer(leader.transfer()));
  }

  private Source source(HttpSpec.Leader leader) {
    HttpSpec.Role role = leader.role();
    if (role != null) {
      return new Source.OwnRole(
          place(role.path(), role.pointer()),
          role.leader(),
          role.follower(),
          Objects.requireNonNullElse(role.learner(), List.of()));
    }
    return new Source.Named(
        text(leader.named())
            .orElseThrow(() ->
                new IllegalStateException(
                    "driver.http.leader has neither role nor named; say how the leader is known")));
  }

  private static Transfer transfer(HttpSpec.Transfer transfer) {
    return new Transfer(
        transfer.method() == HttpSpec.Method.PUT ? "PUT" : "POST",
        transfer.path(),
        Objects.requireNonNullElse(transfer.body(), ""),
        transfer.sendTo() == HttpSpec.SendTo.SUCCESSOR ? SendTo.SUCCESSOR : SendTo.LEADER);
  }

  private Flag flag(@Nullable String path, @Nullable String pointer, @Nullable List<String> is) {
    return new Flag(place(path, pointer), Objects.requireNonNullElse(is, YES));
  }

  private Optional<Place> text(HttpSpec.@Nullable Text text) {
    return Optional.ofNullable(text).map(t -> place(t.path(), t.pointer()));
  }

  private Place place(@Nullable String path, @Nullable String pointer) {
    return new Place(path(path), pointer(pointer));
  }

  private String path(@Nullable String path) {
    return path == null ? spec.path() : path;
  }

  private static Optional<JsonPointer> pointer(@Nullable String pointer) {
    return Optional.ofNullable(pointer).map(JsonPointer::compile);
  }
}
