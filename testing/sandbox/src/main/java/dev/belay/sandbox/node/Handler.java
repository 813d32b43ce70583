package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ExecAction;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Carries out what probes and hooks ask for, in or against a running container. */
record Handler(Launcher launcher, Container container, Launcher.Started started, String podIp) {

  Launcher.Outcome probe(Probe probe) throws InterruptedException {
    Duration timeout = seconds(probe.getTimeoutSeconds(), 1);
    if (probe.getExec() != null) {
      return exec(probe.getExec(), timeout);
    }
    if (probe.getHttpGet() != null) {
      return http(probe.getHttpGet(), timeout);
    }
    if (probe.getTcpSocket() != null) {
      String host = Optional.ofNullable(probe.getTcpSocket().getHost()).orElse(podIp);
      return HttpProbe.connect(host, port(probe.getTcpSocket().getPort()), timeout);
    }
    return new Launcher.Outcome(true, "");
  }

  Launcher.Outcome hook(LifecycleHandler hook, Duration timeout) throws InterruptedException {
    if (hook.getExec() != null) {
      return exec(hook.getExec(), timeout);
    }
    if (hook.getHttpGet() != null) {
      return http(hook.getHttpGet(), timeout);
    }
    if (hook.getSleep() != null) {
      Duration asked = Duration.ofSeconds(hook.getSleep().getSeconds());
      Thread.sleep(asked.compareTo(timeout) < 0 ? asked : timeout);
    }
    return new Launcher.Outcome(true, "");
  }

  private Launcher.Outcome exec(ExecAction action, Duration timeout) throws InterruptedException {
    try {
      return launcher.run(started, action.getCommand(), timeout);
    } catch (IOException e) {
      return new Launcher.Outcome(false, String.valueOf(e.getMessage()));
    }
  }

  private Launcher.Outcome http(HTTPGetAction action, Duration timeout) {
    String host = Optional.ofNullable(action.getHost()).filter(h -> !h.isEmpty()).orElse(podIp);
    return HttpProbe.get(action, host, port(action.getPort()), timeout);
  }

  private int port(IntOrString port) {
    if (port.getIntVal() != null) {
      return port.getIntVal();
    }
    return container.getPorts().stream()
        .filter(named -> port.getStrVal().equals(named.getName()))
        .findFirst()
        .map(named -> named.getContainerPort())
        // Port 0 refuses, and the message shows it.
        .orElse(0);
  }

  static Duration seconds(@Nullable Integer value, int otherwise) {
    return Duration.ofSeconds(value == null ? otherwise : value);
  }
}
