package dev.belay.drivers.http;

import static dev.belay.drivers.http.HttpSpecimen.ROLE;
import static dev.belay.drivers.http.HttpSpecimen.TRANSFER;
import static dev.belay.drivers.http.HttpSpecimen.at;
import static dev.belay.drivers.http.HttpSpecimen.config;

import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.Lag;
import dev.belay.drivers.http.Declaration.Leadership;
import dev.belay.drivers.http.Declaration.MemberList;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Source;
import dev.belay.drivers.http.Declaration.Transfer;
import java.util.Map;
import java.util.Optional;

/** The declaration of tally, and others like it. */
final class Declared {

  private Declared() {}

  static Declaration tally() {
    return HttpSpecimen.TALLY.http().orElseThrow();
  }

  static DriverConfig with(Auth auth, Map<String, String> headers) {
    Declaration t = tally();
    return new DriverConfig(
        Optional.empty(),
        Optional.of(auth),
        Optional.of(
            new Declaration(
                headers,
                t.serving(),
                Optional.empty(),
                t.voter(),
                Optional.empty(),
                t.version(),
                t.clusterId(),
                t.members(),
                t.minHealthy())));
  }

  static DriverConfig peers(Serving serving, int minHealthy) {
    return config(
        new Declaration(
            Map.of(),
            serving,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(minHealthy)));
  }

  static DriverConfig named() {
    var source = new Source.Named(Place.body("/v1/status/leader"));
    return changed(new Leadership(source, Optional.empty(), TRANSFER), tally().lag());
  }

  static DriverConfig changed(Transfer transfer) {
    return changed(new Leadership(ROLE, Optional.of(at("/raft/term")), transfer), tally().lag());
  }

  static DriverConfig changed(Leadership leadership, Optional<Lag> lag) {
    Declaration t = tally();
    return config(
        new Declaration(
            Map.of(),
            t.serving(),
            Optional.of(leadership),
            t.voter(),
            lag,
            t.version(),
            t.clusterId(),
            t.members(),
            t.minHealthy()));
  }

  static DriverConfig changed(Optional<Flag> voter, Optional<MemberList> list) {
    Declaration t = tally();
    return config(
        new Declaration(
            Map.of(),
            t.serving(),
            t.leadership(),
            voter,
            t.lag(),
            t.version(),
            t.clusterId(),
            list,
            t.minHealthy()));
  }
}
