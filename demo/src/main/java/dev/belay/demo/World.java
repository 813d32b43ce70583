package dev.belay.demo;

import dev.belay.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.util.List;

/** What every act plays in: the cluster, the checkout, and the stage it is shown on. */
public record World(Sandbox sandbox, Repository repository, Stage stage) {

  public static final String OLD = "3.5.35";
  public static final String NEXT = "3.6.16";
  public static final String LAST = "3.7.3";
  public static final int MEMBERS = 3;

  /** Enough to feel a gap, little enough for two cores. */
  public static final int RATE = 50;

  Kubectl kubectl() {
    return Kubectl.of(sandbox, repository);
  }

  /** Shows the command and runs it. */
  String type(String... arguments) {
    stage.command("kubectl " + String.join(" ", quoted(arguments)));
    return kubectl().run(arguments);
  }

  private static List<String> quoted(String... arguments) {
    return List.of(arguments).stream().map(a -> a.contains("{") ? "'" + a + "'" : a).toList();
  }

  /** Makes a namespace, without a word. */
  void namespace(String name) {
    sandbox
        .client()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** Ends what ran in a namespace, without a word and without waiting. */
  void leave(String name) {
    sandbox.client().namespaces().withName(name).delete();
  }

  BelayView belay(String namespace) {
    return new BelayView(sandbox.client(), namespace, "etcd");
  }
}
