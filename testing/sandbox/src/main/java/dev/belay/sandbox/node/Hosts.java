package dev.belay.sandbox.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the names of pods and services mean: the text of a hosts file. */
record Hosts(List<Entry> pods, List<ServiceEntry> services, String apiServer) {

  /** A pod that has an address. */
  record Entry(
      String namespace,
      String pod,
      Optional<String> fullHostname,
      String ip,
      Map<String, String> labels,
      boolean ready) {}

  /** A service that selects pods. */
  record ServiceEntry(
      String namespace, String name, Map<String, String> selector, boolean publishNotReady) {

    boolean holds(Entry pod) {
      return pod.namespace().equals(namespace)
          && !selector.isEmpty()
          && pod.labels().entrySet().containsAll(selector.entrySet())
          && (pod.ready() || publishNotReady);
    }
  }

  /** As seen from a namespace: its own names also without the namespace. */
  String seenFrom(String namespace) {
    return render(Optional.of(namespace));
  }

  /** As seen from outside: short names only where one namespace alone has them. */
  String seenFromOutside() {
    return render(Optional.empty());
  }

  private String render(Optional<String> from) {
    StringBuilder out = new StringBuilder("127.0.0.1 localhost\n::1 localhost\n");
    line(out, apiServer, names("kubernetes", "default", from, Map.of()));
    Map<String, String> homes = homes();
    for (Entry pod : pods) {
      List<String> names = new ArrayList<>();
      pod.fullHostname().ifPresent(name -> names.addAll(names(name, pod.namespace(), from, homes)));
      if (isShort(pod.pod(), pod.namespace(), from, homes)) {
        names.add(pod.pod());
      }
      line(out, pod.ip(), names);
    }
    for (ServiceEntry service : services) {
      for (Entry pod : pods) {
        if (service.holds(pod)) {
          line(out, pod.ip(), names(service.name(), service.namespace(), from, homes));
        }
      }
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String ip, List<String> names) {
    if (!names.isEmpty()) {
      out.append(ip).append(' ').append(String.join(" ", names)).append('\n');
    }
  }

  private static List<String> names(
      String name, String namespace, Optional<String> from, Map<String, String> homes) {
    String full = name + "." + namespace;
    List<String> names = new ArrayList<>(List.of(full + ".svc.cluster.local", full + ".svc", full));
    if (isShort(name, namespace, from, homes)) {
      names.add(name);
    }
    return names;
  }

  private static boolean isShort(
      String name, String namespace, Optional<String> from, Map<String, String> homes) {
    return from.map(namespace::equals).orElseGet(() -> namespace.equals(homes.get(name)));
  }

  /** The one namespace of each short name; empty where several have it. */
  private Map<String, String> homes() {
    Map<String, String> homes = new TreeMap<>();
    for (Entry pod : pods) {
      home(homes, pod.pod(), pod.namespace());
      pod.fullHostname().ifPresent(name -> home(homes, name, pod.namespace()));
    }
    for (ServiceEntry service : services) {
      home(homes, service.name(), service.namespace());
    }
    return homes;
  }

  private static void home(Map<String, String> homes, String name, String namespace) {
    homes.merge(name, namespace, (a, b) -> a.equals(b) ? a : "");
  }
}
