package dev.belay.operator.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Turns whatever happens on the way to a host and back into an answer, in time. */
public final class Wire {

  /** What is done once the name is looked up. */
  @FunctionalInterface
  public interface Exchange {
    Answer with(InetAddress address) throws IOException, InterruptedException;
  }

  /**
   * The answer, after the timeout at the latest: looking up the name and every byte of the body are
   * within it.
   */
  public static Answer within(Duration timeout, String host, Exchange exchange)
      throws InterruptedException {
    var asking = new FutureTask<>(() -> answer(timeout, host, exchange));
    Thread thread = Thread.ofVirtual().name("wire " + host).start(asking);
    try {
      return asking.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return late(timeout);
    } catch (ExecutionException e) {
      return Answer.bad("could not be asked: " + Answer.clip(String.valueOf(e.getCause())));
    } finally {
      thread.interrupt();
    }
  }

  private static Answer answer(Duration timeout, String host, Exchange exchange)
      throws InterruptedException {
    try {
      return exchange.with(InetAddress.getByName(host));
    } catch (UnknownHostException e) {
      return Answer.bad("the name " + host + " does not resolve");
    } catch (HttpTimeoutException | SocketTimeoutException e) {
      return late(timeout);
    } catch (ConnectException e) {
      return Answer.bad("takes no connection" + because(e));
    } catch (IOException e) {
      return Answer.bad("broke off" + because(e));
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

  private Wire() {}
}
