package dev.belay.core.state;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Spec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** All that is known of one StatefulCluster at one moment, frozen. */
public record Snapshot(
    Subject subject,
    Self self,
    Spec spec,
    List<Component> components,
    Memory memory,
    Instant at,
    Fact<Ledger> ledger,
    Fleet fleet,
    Selection selection) {

  /** The StatefulCluster itself. */
  public record Subject(
      String namespace, String name, long generation, String resourceVersion, boolean deleting) {}

  /** The operator that looks: the install it belongs to, this process, the account it acts as. */
  public record Self(String install, String instance, String account) {

    /** The lease that the processes of an install elect their leader with. */
    public String lease() {
      return install + "-operator";
    }
  }

  /**
   * Whether this install may own the cluster.
   *
   * @param matches whether the install's selector matches the StatefulCluster
   * @param ownerGone whether the lease of the recorded owner expired long ago
   * @param uninstalling whether the install releases all its clusters and is removed
   */
  public record Selection(boolean matches, boolean ownerGone, boolean uninstalling) {
    public static final Selection MATCHES = new Selection(true, false);
    public static final Selection UNINSTALLING = new Selection(false, false, true);

    public Selection(boolean matches, boolean ownerGone) {
      this(matches, ownerGone, false);
    }
  }

  public Snapshot {
    components = List.copyOf(components);
  }

  /** One whose migrations, if it has any, were not looked at, and that waits for no other. */
  public Snapshot(
      Subject subject,
      Self self,
      Spec spec,
      List<Component> components,
      Memory memory,
      Instant at) {
    this(
        subject,
        self,
        spec,
        components,
        memory,
        at,
        spec.migrations().isEmpty()
            ? Fact.known(Ledger.NONE)
            : Fact.unknown("the queue of migrations was not read"),
        Fleet.UNLIMITED,
        Selection.MATCHES);
  }

  public Optional<Component> component(String name) {
    return Among.first(components, c -> c.name().equals(name));
  }

  /** The same with other components. */
  public Snapshot seeing(List<Component> others) {
    return new Snapshot(subject, self, spec, others, memory, at, ledger, fleet, selection);
  }

  /** The same without what is remembered of workloads that are no longer named. */
  public Snapshot ofItsWorkloads() {
    return remembering(memory.of(spec));
  }

  /** The same with another memory. */
  public Snapshot remembering(Memory other) {
    return new Snapshot(subject, self, spec, components, other, at, ledger, fleet, selection);
  }

  /** The same with another spec. */
  public Snapshot asking(Spec other) {
    return new Snapshot(subject, self, other, components, memory, at, ledger, fleet, selection);
  }

  /** The same with another reading of the migrations. */
  public Snapshot knowing(Fact<Ledger> other) {
    return new Snapshot(subject, self, spec, components, memory, at, other, fleet, selection);
  }

  /** The same among other clusters. */
  public Snapshot among(Fleet others) {
    return new Snapshot(subject, self, spec, components, memory, at, ledger, others, selection);
  }

  /** The same under another selection. */
  public Snapshot selectedAs(Selection other) {
    return new Snapshot(subject, self, spec, components, memory, at, ledger, fleet, other);
  }

  /** The same some time later. */
  public Snapshot later(Duration time) {
    return new Snapshot(
        subject, self, spec, components, memory, at.plus(time), ledger, fleet, selection);
  }
}
