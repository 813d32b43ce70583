package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.CheckSpec;
import dev.belay.api.v1alpha1.Question;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks one question once, by HTTP or TCP, and turns whatever happens into an answer. */
final class Asker {

  /**
   * The answer, after the question's timeout at the latest: looking up the name and every byte of
   * the body are within it.
   */
  Answer ask(String host, Question question) throws InterruptedException {
    var asking = new FutureTask<>(() -> answer(host, question));
    Thread thread = Thread.ofVirtual().name("check " + host).start(asking);
    try {
      return asking.get(question.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return late(question.timeout());
    } catch (ExecutionException e) {
      return Answer.bad("could not be asked: " + Answer.clip(String.valueOf(e.getCause())));
    } finally {
      thread.interrupt();
    }
  }

  private static Answer answer(String host, Question question) throws InterruptedException {
    try {
      InetAddress address = InetAddress.getByName(host);
      CheckSpec.Tcp tcp = question.spec().tcp();
      if (tcp != null) {
        return connect(address, tcp.port(), question.timeout());
      }
      CheckSpec.Http http = question.spec().http();
      return http == null
          ? Answer.bad("nothing to ask")
          : get(URI.create("http://" + host + ":" + http.port() + http.path()), http, question);
    } catch (UnknownHostException e) {
      return Answer.bad("the name " + host + " does not resolve");
    } catch (HttpTimeoutException | SocketTimeoutException e) {
      return late(question.timeout());
    } catch (ConnectException e) {
      return Answer.bad("takes no connection" + because(e));
    } catch (IOException e) {
      return Answer.bad("broke off" + because(e));
    }
  }

  private static Answer connect(InetAddress address, int port, Duration timeout)
      throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) timeout.toMillis());
      return Answer.good("takes connections");
    }
  }

  /**
   * A client for each answer: a connection that was kept would go on to ask a member that the name
   * no longer means.
   */
  private static Answer get(URI uri, CheckSpec.Http http, Question question)
      throws IOException, InterruptedException {
    var expectation = new Expectation(http.expectOrDefault());
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    try {
      var request =
          HttpRequest.newBuilder(uri).timeout(question.timeout()).header("User-Agent", "belay");
      var response = client.send(request.build(), BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (!expectation.fits(response.statusCode())) {
          return expectation.unfit(response.statusCode());
        }
        return expectation.readsBody()
            ? expectation.judge(body.readNBytes(Expectation.LIMIT + 1))
            : Answer.good("answered " + response.statusCode());
      }
    } finally {
      client.shutdownNow();
    }
  }

  private static Answer late(Duration timeout) {
    String time =
        timeout.toMillis() % 1000 == 0 ? timeout.toSeconds() + "s" : timeout.toMillis() + "ms";
    return Answer.bad("no answer within " + time);
  }

  private static String because(IOException e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      String message = t.getMessage();
      if (message != null && !message.isBlank()) {
        return ": " + Answer.clip(message).toLowerCase(Locale.ROOT);
      }
    }
    return "";
  }
}
