package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.CheckSpec;
import dev.belay.api.v1alpha1.CheckSpec.Expect;
import dev.belay.api.v1alpha1.Question;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Moment;
import dev.belay.core.model.Check.On;
import java.time.Duration;

/** Questions for tests. */
final class Asked {

  private Asked() {}

  static final Expect OK = new Expect(null, null, null, null);

  static Expect status(int status) {
    return new Expect(status, null, null, null);
  }

  static Expect body(String body) {
    return new Expect(null, body, null, null);
  }

  static Expect value(String pointer, String value) {
    return new Expect(null, null, pointer, value);
  }

  static Question http(int port, String path, Expect expect, Duration timeout) {
    var http = new CheckSpec.Http(path, port, expect);
    return question(Moment.AFTER_MEMBER, On.TARGET, spec(http, null), timeout, 3);
  }

  static Question tcp(int port, Duration timeout) {
    var tcp = new CheckSpec.Tcp(port);
    return question(Moment.AFTER_MEMBER, On.TARGET, spec(null, tcp), timeout, 3);
  }

  static Question at(Moment moment, On on) {
    var http = new CheckSpec.Http("/" + moment + "/" + on, 80, OK);
    return question(moment, on, spec(http, null), Duration.ofSeconds(1), 3);
  }

  static Question tries(int tries, Duration interval) {
    Question q = at(Moment.BEFORE_MEMBER, On.TARGET);
    return new Question(q.check(), q.spec(), q.timeout(), interval, tries);
  }

  private static CheckSpec spec(CheckSpec.Http http, CheckSpec.Tcp tcp) {
    return new CheckSpec(http, tcp, null, null, null, null);
  }

  private static Question question(
      Moment moment, On on, CheckSpec spec, Duration timeout, int tries) {
    return new Question(
        new Check(moment, on, spec.what()), spec, timeout, Duration.ofMillis(1), tries);
  }
}
