package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostsTest {
  private static final Map<String, String> DB = Map.of("app", "db");

  private static Hosts.Entry pod(String namespace, String name, String ip, boolean ready) {
    return new Hosts.Entry(namespace, name, Optional.of(name + ".db"), ip, DB, ready);
  }

  @Test
  void a_pod_has_all_its_names_in_its_own_namespace_and_the_full_ones_elsewhere() {
    Hosts hosts = new Hosts(List.of(pod("a", "db-0", "127.9.1.1", true)), List.of(), "127.9.0.1");
    assertThat(hosts.seenFrom("a"))
        .contains("127.9.1.1 db-0.db.a.svc.cluster.local db-0.db.a.svc db-0.db.a db-0.db db-0\n");
    assertThat(hosts.seenFrom("b"))
        .contains("127.9.1.1 db-0.db.a.svc.cluster.local db-0.db.a.svc db-0.db.a\n");
  }

  @Test
  void the_same_name_in_two_namespaces_means_the_own_one() {
    Hosts hosts =
        new Hosts(
            List.of(pod("a", "db-0", "127.9.1.1", true), pod("b", "db-0", "127.9.1.2", true)),
            List.of(),
            "127.9.0.1");
    assertThat(hosts.seenFrom("b").lines().filter(line -> line.endsWith(" db-0")))
        .singleElement()
        .asString()
        .startsWith("127.9.1.2 ");
    assertThat(hosts.seenFromOutside().lines()).noneMatch(line -> line.endsWith(" db-0"));
  }

  @Test
  void a_service_name_leads_to_its_ready_pods_or_to_all_when_it_says_so() {
    List<Hosts.Entry> pods =
        List.of(pod("a", "db-0", "127.9.1.1", true), pod("a", "db-1", "127.9.1.2", false));
    assertThat(serviceLines(pods, false)).containsExactly("127.9.1.1");
    assertThat(serviceLines(pods, true)).containsExactly("127.9.1.1", "127.9.1.2");
  }

  private static List<String> serviceLines(List<Hosts.Entry> pods, boolean all) {
    Hosts hosts = new Hosts(pods, List.of(new Hosts.ServiceEntry("a", "db", DB, all)), "127.9.0.1");
    return hosts
        .seenFrom("a")
        .lines()
        .filter(line -> line.endsWith(" db.a.svc.cluster.local db.a.svc db.a db"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  @Test
  void a_service_without_selector_has_no_pods() {
    Hosts.ServiceEntry service = new Hosts.ServiceEntry("a", "db", Map.of(), true);
    assertThat(service.holds(pod("a", "db-0", "127.9.1.1", true))).isFalse();
  }
}
