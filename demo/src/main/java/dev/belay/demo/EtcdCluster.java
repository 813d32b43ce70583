package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.demo.EtcdMember.Role;
import dev.belay.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** The etcd of one namespace, as examples/etcd.yaml deploys it, seen from outside of Belay. */
public final class EtcdCluster implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMillis(400);
  private static final String LABEL = "app.kubernetes.io/name";
  private static final Comparator<Pod> BY_ORDINAL =
      Comparator.comparingInt(p -> ordinal(p.getMetadata().getName()));

  private final Sandbox sandbox;
  private final String namespace;
  private final EtcdGateway gateway = new EtcdGateway(PATIENCE);
  private final ExecutorService askers = Executors.newVirtualThreadPerTaskExecutor();

  public EtcdCluster(Sandbox sandbox, String namespace) {
    this.sandbox = sandbox;
    this.namespace = namespace;
  }

  public String namespace() {
    return namespace;
  }

  /** The members by ordinal; all are asked at the same time. */
  public List<EtcdMember> members() {
    List<Future<EtcdMember>> answers =
        pods().stream().map(pod -> askers.submit((Callable<EtcdMember>) () -> ask(pod))).toList();
    return answers.stream().map(EtcdCluster::join).toList();
  }

  private static <T> T join(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", "the demonstration was stopped", "start it again");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private EtcdMember ask(Pod pod) throws InterruptedException {
    boolean ending = pod.getMetadata().getDeletionTimestamp() != null;
    boolean running =
        pod.getStatus().getContainerStatuses().stream()
            .anyMatch(status -> status.getState().getRunning() != null);
    String image = pod.getSpec().getContainers().getFirst().getImage();
    String version = "";
    Role role = ending || !running ? Role.RESTARTING : Role.SILENT;
    if (running) {
      try {
        JsonNode status = gateway.status(endpoint(pod));
        version = status.path("version").asText();
        role = role(status);
      } catch (IOException silent) {
        // That it does not answer is the answer.
      }
    }
    boolean ready =
        pod.getStatus().getContainerStatuses().stream().allMatch(ContainerStatus::getReady);
    return new EtcdMember(
        pod.getMetadata().getName(),
        pod.getMetadata().getUid(),
        image.substring(image.lastIndexOf(':') + 1),
        version,
        role,
        running && ready && !ending);
  }

  private static Role role(JsonNode status) {
    String leader = status.path("leader").asText("0");
    if (leader.equals("0")) {
      return Role.LEADERLESS;
    }
    return leader.equals(memberId(status)) ? Role.LEADER : Role.FOLLOWER;
  }

  private static String memberId(JsonNode status) {
    return status.path("header").path("member_id").asText();
  }

  private List<Pod> pods() {
    return sandbox
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel(LABEL, "etcd")
        .list()
        .getItems()
        .stream()
        .sorted(BY_ORDINAL)
        .toList();
  }

  private static int ordinal(String pod) {
    return Integer.parseInt(pod.substring(pod.lastIndexOf('-') + 1));
  }

  private static URI endpoint(Pod pod) {
    return URI.create("http://" + pod.getStatus().getPodIP() + ":2379");
  }

  /** Where the members answer; the addresses outlive the pods. */
  public List<URI> endpoints() {
    return pods().stream().map(EtcdCluster::endpoint).toList();
  }

  /** The uid of each pod: equal uids mean that nothing was restarted. */
  public Map<String, String> uids() {
    return pods().stream()
        .collect(Collectors.toMap(p -> p.getMetadata().getName(), p -> p.getMetadata().getUid()));
  }

  /** Waits until so many members are ready, agree on a leader and run this version. */
  public void awaitServing(int count, String version, Duration limit) {
    Await.until(
        "etcd in namespace %s on %s".formatted(namespace, version),
        limit,
        () -> serving(members(), count, version),
        () -> "the members are " + members());
  }

  public static boolean serving(List<EtcdMember> members, int count, String version) {
    return members.size() == count
        && members.stream().allMatch(m -> m.ready() && m.serves() && m.version().equals(version))
        && members.stream().filter(EtcdMember::leads).count() == 1;
  }

  /** Who leads, when somebody does. */
  public Optional<String> leader() {
    return members().stream().filter(EtcdMember::leads).map(EtcdMember::pod).findFirst();
  }

  /** Moves leadership to the member in this pod, and sees it arrive. */
  public void lead(String pod) {
    Await.until(
        pod + " leads in namespace " + namespace,
        Duration.ofSeconds(15),
        () -> {
          boolean arrived = leader().filter(pod::equals).isPresent();
          if (!arrived) {
            askToLead(pod);
          }
          return arrived;
        },
        () -> "the members are " + members());
  }

  private void askToLead(String pod) {
    try {
      List<Pod> pods = pods();
      Optional<Pod> heir = pods.stream().filter(p -> named(p, pod)).findFirst();
      Optional<String> leading = leader();
      if (heir.isPresent() && leading.isPresent() && !leading.get().equals(pod)) {
        String id = memberId(gateway.status(endpoint(heir.get())));
        Pod from = pods.stream().filter(p -> named(p, leading.get())).findFirst().orElseThrow();
        gateway.post(
            endpoint(from),
            "/v3/maintenance/transfer-leadership",
            EtcdGateway.object().put("targetID", id));
      }
    } catch (IOException notNow) {
      // Looked at again by whoever waits for the new leader.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean named(Pod pod, String name) {
    return pod.getMetadata().getName().equals(name);
  }

  /** SIGSTOP: the process stays, its connections stay, it answers nobody. */
  public void freeze(String pod) {
    signal("STOP", pod);
  }

  /** SIGCONT. */
  public void thaw(String pod) {
    signal("CONT", pod);
  }

  private void signal(String name, String pod) {
    long pid =
        sandbox
            .pidOf(namespace, pod)
            .orElseThrow(() ->
                new DemoException(
                    "cannot send SIG%s to %s".formatted(name, pod),
                    "it has no process in namespace " + namespace,
                    "kubectl describe pod " + pod));
    try {
      int rc = new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
      if (rc != 0) {
        throw new DemoException(
            "cannot send SIG%s to %s".formatted(name, pod),
            "kill -%s %d ended with %d".formatted(name, pid, rc),
            "see whether the process still exists: ps -p " + pid);
      }
    } catch (IOException e) {
      throw new DemoException("cannot run kill", String.valueOf(e.getMessage()), "install procps");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    askers.shutdownNow();
    gateway.close();
  }
}
