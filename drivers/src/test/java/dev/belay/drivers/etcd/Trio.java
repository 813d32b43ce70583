package dev.belay.drivers.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Three members that replay what real ones answered, and the driver that asks them. */
final class Trio implements AutoCloseable {

  static final String ID_1 = "11759525908296983115";
  static final String ID_2 = "3256694602668281802";
  static final String ID_3 = "16047066878455438489";
  static final String CLUSTER = "16572348699001324854";
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  static final Duration BRIEF = Duration.ofMillis(1500);

  FakeMember one = FakeEtcd.replaying("3.6.16", "etcd-1");
  FakeMember two = FakeEtcd.replaying("3.6.16", "etcd-2");
  FakeMember three = FakeEtcd.replaying("3.6.16", "etcd-3");
  EtcdDriver driver = new EtcdDriver(DriverConfig.PLAIN);
  private final CountDownLatch over = new CountDownLatch(1);

  @Override
  public void close() {
    over.countDown();
    driver.close();
    all().forEach(FakeMember::close);
  }

  Stream<FakeMember> all() {
    return Stream.of(one, two, three);
  }

  void replay(String version) {
    all().forEach(FakeMember::close);
    one = FakeEtcd.replaying(version, "etcd-1");
    two = FakeEtcd.replaying(version, "etcd-2");
    three = FakeEtcd.replaying(version, "etcd-3");
  }

  void login(String password) {
    driver.close();
    driver =
        new EtcdDriver(
            new DriverConfig(
                Optional.empty(), Optional.of(new DriverConfig.Auth("root", password))));
  }

  void waitForTheEnd() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  List<Seat> seats() {
    return List.of(one.seat(), two.seat(), three.seat());
  }

  Outcome transfer(String term, Duration deadline) {
    return driver.transferLeader(seats(), new Topology.Leader(ID_2, term), ID_1, deadline);
  }

  Topology known(Duration deadline) {
    return known(driver.observe(seats(), deadline));
  }

  static Topology known(Fact<Topology> fact) {
    assertThat(fact).isInstanceOf(Fact.Known.class);
    return fact.asOptional().orElseThrow();
  }

  String unknown(Duration deadline) {
    return ((Fact.Unknown<Topology>) driver.observe(seats(), deadline)).why();
  }

  Member member(int n, Duration deadline) {
    return known(deadline).members().get(n - 1);
  }

  Fact<Health> health(int n, Duration deadline) {
    return member(n, deadline).health();
  }

  static String why(Fact<Health> health) {
    return switch (health) {
      case Fact.Unknown<Health>(String why) -> why;
      case Fact.Known<Health>(Health h) -> h.reading();
    };
  }
}
