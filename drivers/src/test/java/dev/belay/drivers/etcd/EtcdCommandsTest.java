package dev.belay.drivers.etcd;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.drivers.contract.FakeMember;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is sent to etcd, and what it takes to be let in. */
class EtcdCommandsTest {

  private final Trio etcd = new Trio();

  @AfterEach
  void stop() {
    etcd.close();
  }

  @Test
  void hands_over_through_the_leader_and_nobody_else() {
    etcd.all().forEach(e -> e.on(FakeEtcd.TRANSFER, body(200, "{}")));
    assertThat(etcd.transfer("2", Trio.PATIENCE)).isEqualTo(new Outcome.Accepted());
    assertThat(etcd.two.asked).contains(FakeEtcd.TRANSFER);
    assertThat(etcd.one.asked).doesNotContain(FakeEtcd.TRANSFER);
    assertThat(etcd.three.asked).doesNotContain(FakeEtcd.TRANSFER);
    // Acknowledged is not done: the next look says who leads.
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.known(new Topology.Leader(Trio.ID_2, "2")));
  }

  @Test
  void sends_nothing_when_the_term_has_changed() {
    assertThat(((Outcome.Refused) etcd.transfer("1", Trio.PATIENCE)).why())
        .contains("etcd-2 was seen leading in term 1")
        .contains(Trio.ID_2 + " leads in term 2");
    assertThat(etcd.two.asked).doesNotContain(FakeEtcd.TRANSFER);
  }

  @Test
  void sends_nothing_when_the_lead_was_lost() {
    etcd.two.edit(FakeEtcd.STATUS, "\"leader\":\"" + Trio.ID_2, "\"leader\":\"" + Trio.ID_1);
    assertThat(etcd.transfer("2", Trio.PATIENCE)).isInstanceOf(Outcome.Refused.class);
    assertThat(etcd.two.asked).doesNotContain(FakeEtcd.TRANSFER);
  }

  @Test
  void passes_on_why_etcd_would_not_hand_over() {
    etcd.two.on(
        FakeEtcd.TRANSFER,
        body(400, "{\"code\":9,\"message\":\"etcdserver: bad leader transferee\"}"));
    assertThat(etcd.transfer("2", Trio.PATIENCE))
        .isEqualTo(new Outcome.Refused("etcd-2 answers 400: etcdserver: bad leader transferee"));
  }

  @Test
  void a_command_without_an_answer_is_neither_done_nor_undone() {
    etcd.two.on(FakeEtcd.TRANSFER, exchange -> etcd.waitForTheEnd());
    assertThat(etcd.transfer("2", Trio.BRIEF))
        .isEqualTo(
            new Outcome.Refused(
                "etcd-2: no answer in 1500 ms; whether it happened is seen at the next look"));
    assertThat(etcd.two.asked).filteredOn(FakeEtcd.TRANSFER::equals).hasSize(1);
  }

  @Test
  void a_command_whose_connection_is_cut_is_not_sent_again() {
    etcd.two.on(FakeEtcd.TRANSFER, exchange -> exchange.close());
    assertThat(((Outcome.Refused) etcd.transfer("2", Trio.PATIENCE)).why())
        .contains("whether it happened is seen at the next look");
    assertThat(etcd.two.asked).filteredOn(FakeEtcd.TRANSFER::equals).hasSize(1);
  }

  @Test
  void a_token_that_has_expired_is_renewed_once() {
    var valid = new AtomicInteger(1);
    etcd.all().forEach(e -> requireToken(e, valid));
    etcd.login("hunter2");
    assertThat(etcd.known(Trio.PATIENCE).members()).allMatch(Member::healthy);
    valid.incrementAndGet();
    assertThat(etcd.known(Trio.PATIENCE).members()).allMatch(Member::healthy);
    assertThat(etcd.one.asked).filteredOn(FakeEtcd.LOGIN::equals).hasSize(2);
  }

  @Test
  void a_wrong_password_is_unknown_and_never_shown() {
    etcd.all()
        .forEach(e ->
            e.on(
                FakeEtcd.LOGIN,
                body(
                    400,
                    "{\"code\":3,\"message\":\"etcdserver: authentication failed, invalid user ID or password\"}")));
    etcd.login("hunter2");
    assertThat(etcd.unknown(Trio.PATIENCE))
        .contains("etcd-1 refuses user root (etcdserver: authentication failed")
        .contains("check user and password")
        .doesNotContain("hunter2");
  }

  @Test
  void a_password_where_none_is_asked_does_no_harm() {
    etcd.all()
        .forEach(e ->
            e.on(
                FakeEtcd.LOGIN,
                body(
                    400,
                    "{\"code\":9,\"message\":\"etcdserver: authentication is not enabled\"}")));
    etcd.login("hunter2");
    assertThat(etcd.known(Trio.PATIENCE).members()).allMatch(Member::healthy);
  }

  @Test
  void an_etcd_that_asks_for_a_password_says_so() {
    etcd.all()
        .forEach(e ->
            e.on(
                FakeEtcd.STATUS,
                body(400, "{\"code\":3,\"message\":\"etcdserver: user name is empty\"}")));
    assertThat(etcd.unknown(Trio.PATIENCE))
        .contains("etcd-1 asks for a user and password")
        .contains("configure auth");
  }

  private static void requireToken(FakeMember member, AtomicInteger valid) {
    member.on(
        FakeEtcd.LOGIN, exchange -> body(200, "{\"token\":\"t." + valid + "\"}").to(exchange));
    for (String path : List.of(FakeEtcd.STATUS, FakeEtcd.MEMBERS, FakeEtcd.ALARMS)) {
      String file =
          path.equals(FakeEtcd.STATUS)
              ? "status.json"
              : path.equals(FakeEtcd.MEMBERS) ? "members.json" : "alarms.json";
      member.on(
          path,
          exchange -> {
            String token = exchange.getRequestHeaders().getFirst("Authorization");
            boolean good = ("t." + valid).equals(token);
            String refusal = "{\"code\":16,\"message\":\"etcdserver: invalid auth token\"}";
            body(good ? 200 : 401, good ? member.recorded(file) : refusal).to(exchange);
          });
    }
  }
}
