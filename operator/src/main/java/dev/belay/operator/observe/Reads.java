package dev.belay.operator.observe;

import dev.belay.core.model.Fact;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Reads side by side under one deadline; whatever fails or is late becomes Unknown. */
final class Reads implements AutoCloseable {

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final long deadline;

  Reads(Duration limit) {
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  /** A read that has begun. */
  record Pending<T>(String what, Future<@Nullable T> future, Reads reads) {

    /** The answer; a null answer is Unknown with {@code ifAbsent}. */
    Fact<T> await(String ifAbsent) {
      try {
        long left = Math.max(0, reads.deadline - System.nanoTime());
        T value = future.get(left, TimeUnit.NANOSECONDS);
        return value == null ? Fact.unknown(ifAbsent) : Fact.known(value);
      } catch (TimeoutException e) {
        future.cancel(true);
        return Fact.unknown(what + " was not answered in time");
      } catch (ExecutionException e) {
        return Fact.unknown(what + " failed: " + reason(e.getCause()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Fact.unknown(what + " was interrupted");
      }
    }
  }

  <T> Pending<T> begin(String what, Callable<@Nullable T> read) {
    return new Pending<>(what, threads.submit(read), this);
  }

  private static String reason(@Nullable Throwable cause) {
    if (cause instanceof KubernetesClientException k && k.getStatus() != null) {
      return String.valueOf(k.getStatus().getMessage());
    }
    return String.valueOf(cause == null ? "no reason given" : cause.getMessage());
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
