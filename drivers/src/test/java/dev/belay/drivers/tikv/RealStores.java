package dev.belay.drivers.tikv;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.DriverConfig.PlacementDriver;
import dev.belay.drivers.contract.Processes;
import dev.belay.drivers.pd.RealPd;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Stores that are not TiKV before a real PD, which takes them for it: tikv-0, tikv-1, … */
final class RealStores implements AutoCloseable {

  static final String OLD = "7.5.0";
  static final String NEW = "8.1.0";

  final RealPd pd;
  final Processes processes = new Processes();
  private final Path dir;
  private final int members;

  RealStores(Path dir, String pdVersion, int members) {
    this.dir = dir;
    this.members = members;
    this.pd = RealPd.start(dir, pdVersion, members);
  }

  PlacementDriver placement() {
    return new PlacementDriver(
        IntStream.range(0, members).mapToObj(i -> URI.create(pd.client(i))).toList(),
        Optional.empty());
  }

  List<Seat> seats(int stores) {
    return IntStream.range(0, stores)
        .mapToObj(i ->
            new Seat("tikv-" + i, "tikv-" + i, URI.create("http://" + processes.host(i) + ":2379")))
        .toList();
  }

  /** Starts a store, again or for the first time, on what it keeps. */
  void run(int i, String version, String... flags) {
    try {
      Path data = Files.createDirectories(dir.resolve("tikv-" + i));
      String at = processes.host(i) + ":20160";
      var command =
          new ArrayList<>(
              List.of(
                  Processes.binary("images/tikv-stand-in/" + version, "entrypoint").toString(),
                  "--pd-endpoints="
                      + IntStream.range(0, members)
                          .mapToObj(n -> pd.client(n).substring("http://".length()))
                          .collect(Collectors.joining(",")),
                  "--addr=" + at,
                  "--advertise-addr=" + at,
                  "--data-dir=" + data));
      command.addAll(List.of(flags));
      processes.start(i, command, Map.of(), dir.resolve("tikv-" + i + ".log"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    processes.close();
    pd.close();
  }
}
