package dev.belay.operator;

import dev.belay.operator.select.Selector;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * What the arguments of the process say.
 *
 * @param name of the process among the replicas of its install
 * @param namespaces to work in; none stands for all of them
 * @param maxUpgrades how many clusters may be in the middle of an upgrade; 0 for any number
 * @param metrics where metrics and probes are served; empty for nowhere
 */
record Settings(
    String name,
    List<String> namespaces,
    Selector selector,
    int maxUpgrades,
    Optional<InetSocketAddress> metrics) {

  Settings {
    namespaces = List.copyOf(namespaces);
  }
}
