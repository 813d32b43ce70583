package dev.belay.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What an answer of the API server, or none, means to the person at the keyboard. */
record Troubles(String server) {

  /** The sentence in which Kubernetes refuses. */
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "User \"(?<who>[^\"]+)\" cannot (?<verb>\\w+) resource \"(?<what>[^\"]+)\" in API group"
              + " \"(?<group>[^\"]*)\"(?: in the namespace \"(?<namespace>[^\"]+)\")?");

  Trouble of(KubernetesClientException e) {
    return switch (e.getCode()) {
      case HttpURLConnection.HTTP_FORBIDDEN -> forbidden(e);
      case HttpURLConnection.HTTP_UNAUTHORIZED ->
          new Trouble(
              server + " does not accept these credentials",
              "log in again, or choose another user: kubectl config get-contexts",
              e);
      case HttpURLConnection.HTTP_NOT_FOUND ->
          new Trouble(
              server + " does not know StatefulClusters",
              "kubectl apply -f deploy/shared/crd.yaml",
              e);
      default ->
          // No status: it never came to an answer.
          e.getStatus() == null
              ? unreachable(e)
              : new Trouble("%s answered: %s".formatted(server, message(e)), "", e);
    };
  }

  private Trouble forbidden(KubernetesClientException e) {
    Matcher m = FORBIDDEN.matcher(message(e));
    if (!m.find()) {
      return new Trouble(
          "%s refused: %s".formatted(server, message(e)), "ask for the missing right", e);
    }
    String group = m.group("group");
    // As kubectl takes it: statefulclusters.belay.dev/status.
    String resource =
        group.isEmpty() ? m.group("what") : m.group("what").replaceFirst("/|$", "." + group + "$0");
    String namespace = m.group("namespace");
    boolean everywhere = namespace == null;
    return new Trouble(
        "%s may not %s %s %s"
            .formatted(
                m.group("who"),
                m.group("verb"),
                resource,
                everywhere ? "in all namespaces" : "in namespace " + namespace),
        "ask for that right ("
            + (everywhere ? "ClusterRole" : "Role")
            + " with apiGroups [%s], resources [%s], verbs [%s])"
                .formatted(
                    group.isEmpty() ? "\"\"" : group,
                    m.group("what"),
                    m.group("verb").equals("patch") ? "get, patch" : "get, list, watch")
            + (everywhere ? ", or name one namespace with -n" : ""),
        e);
  }

  private Trouble unreachable(KubernetesClientException e) {
    String context =
        "is the cluster up, and is it the one you mean? kubectl config current-context";
    if (cause(e, UnknownHostException.class).isPresent()) {
      return new Trouble("cannot reach " + server + ": no such host", context, e);
    }
    if (cause(e, SSLException.class).isPresent()) {
      return new Trouble(
          "cannot trust %s: %s".formatted(server, innermost(e)),
          "correct certificate-authority or the client certificate in the kubeconfig",
          e);
    }
    if (cause(e, HttpTimeoutException.class).isPresent()
        || cause(e, TimeoutException.class).isPresent()) {
      return new Trouble("cannot reach " + server + ": no answer in time", context, e);
    }
    if (cause(e, ConnectException.class).isPresent()) {
      return new Trouble("cannot reach " + server + ": connection refused", context, e);
    }
    return new Trouble("cannot talk to %s: %s".formatted(server, innermost(e)), context, e);
  }

  private static String message(KubernetesClientException e) {
    return e.getStatus() == null || e.getStatus().getMessage() == null
        ? Cluster.word(e.getMessage())
        : e.getStatus().getMessage();
  }

  private static <T extends Throwable> Optional<T> cause(Throwable e, Class<T> type) {
    for (@Nullable Throwable t = e; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return Optional.of(type.cast(t));
      }
    }
    return Optional.empty();
  }

  private static String innermost(Throwable e) {
    Throwable t = e;
    for (@Nullable Throwable next = e; next != null; next = next.getCause()) {
      t = next;
    }
    return t.getMessage() == null ? t.getClass().getSimpleName() : t.getMessage();
  }
}
