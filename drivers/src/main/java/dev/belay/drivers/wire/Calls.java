package dev.belay.drivers.wire;

import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.tls.TlsContext;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The questions one driver has under way: side by side, each heard until the deadline. */
public final class Calls implements AutoCloseable {

  // Threads that a deadline leaves behind (a name look-up cannot be interrupted) end by themselves;
  // nobody waits for them.
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http;

  public Calls(DriverConfig config) {
    var builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(threads);
    config.tls().map(TlsContext::of).ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  public Wire wire() {
    return new Wire(http);
  }

  public <T> Future<Reply<T>> start(Supplier<Reply<T>> question) {
    return threads.submit(question::get);
  }

  /** The client's own time-out ends with the headers; this one holds for the body too. */
  public static <T> Reply<T> await(Future<Reply<T>> future, Deadline until) {
    try {
      return future.get(until.left().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      return new Reply.Failed<>(until.missed());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      future.cancel(true);
      return new Reply.Failed<>("the look was interrupted");
    } catch (ExecutionException e) {
      throw new IllegalStateException("asking a member failed in Belay itself", e.getCause());
    }
  }

  /** The first answer that fits; those who are silent are not waited for. */
  public <T> Optional<T> first(List<Supplier<T>> questions, Predicate<T> fits, Deadline until) {
    CompletionService<T> answers = new ExecutorCompletionService<>(threads);
    List<Future<T>> asked = questions.stream().map(q -> answers.submit(q::get)).toList();
    try {
      for (int i = 0; i < asked.size(); i++) {
        Future<T> next = answers.poll(until.left().toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
          break;
        }
        T heard = next.get();
        if (fits.test(heard)) {
          return Optional.of(heard);
        }
      }
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("asking a member failed in Belay itself", e.getCause());
    } finally {
      asked.forEach(f -> f.cancel(true));
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    threads.shutdownNow();
  }
}
