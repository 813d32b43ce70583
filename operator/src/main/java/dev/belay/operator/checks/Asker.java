package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.CheckSpec;
import dev.belay.api.v1alpha1.Question;
import dev.belay.operator.wire.Answer;
import dev.belay.operator.wire.Call;
import dev.belay.operator.wire.Expectation;
import dev.belay.operator.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Asks one question once, by HTTP or TCP, and turns whatever happens into an answer. */
final class Asker {

  Answer ask(String host, Question question) throws InterruptedException {
    CheckSpec.Tcp tcp = question.spec().tcp();
    CheckSpec.Http http = question.spec().http();
    Duration timeout = question.timeout();
    if (tcp != null) {
      return Wire.within(timeout, host, address -> connect(address, tcp.port(), timeout));
    }
    return http == null
        ? Answer.bad("nothing to ask")
        : Call.get(http.port(), http.path(), Expectation.of(http.expectOrDefault()))
            .to(host, timeout);
  }

  private static Answer connect(InetAddress address, int port, Duration timeout)
      throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) timeout.toMillis());
      return Answer.good("takes connections");
    }
  }
}
