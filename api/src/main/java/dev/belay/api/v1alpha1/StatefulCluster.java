package dev.belay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** A clustered stateful system that Belay upgrades one member at a time. It owns nothing. */
@Group(StatefulCluster.GROUP)
@Version(StatefulCluster.VERSION)
@Kind(StatefulCluster.KIND)
@Singular("statefulcluster")
@Plural("statefulclusters")
@ShortNames("stc")
@Categories("belay")
@AdditionalPrinterColumn(
    name = "Version",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.currentVersion",
    getDescription = "What every member runs")
@AdditionalPrinterColumn(
    name = "Target",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.targetVersion",
    getDescription = "What is being rolled out; empty when idle")
@AdditionalPrinterColumn(
    name = "Phase",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.phase",
    getDescription = "What Belay is doing")
@AdditionalPrinterColumn(
    name = "Updated",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.updated",
    getDescription = "Members at the newest revision, of all")
@AdditionalPrinterColumn(
    name = "Ready",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.ready",
    getDescription = "Members that are ready, of all")
@AdditionalPrinterColumn(
    name = "Blocked-By",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.blockedBy.rule",
    getDescription = "The rule that stands in the way")
@AdditionalPrinterColumn(
    name = "Age",
    type = AdditionalPrinterColumn.Type.DATE,
    jsonPath = ".metadata.creationTimestamp")
@ValidationRule(
    value = "self.metadata.name.size() <= 63",
    message =
        "metadata.name has more than 63 characters; it is the value of the label belay.dev/cluster"
            + " on the workloads, so choose a shorter one")
public class StatefulCluster extends CustomResource<StatefulClusterSpec, StatefulClusterStatus>
    implements Namespaced {

  public static final String GROUP = "belay.dev";
  public static final String VERSION = "v1alpha1";
  public static final String KIND = "StatefulCluster";

  /** Holds a deletion back while the operator would leave something behind. */
  public static final String FINALIZER = "belay.dev/leave";

  /** What {@code kubectl explain stc} says first. */
  public static final String DESCRIPTION =
      "Deleting a StatefulCluster deletes and restarts nothing. It names the workloads of one"
          + " clustered system (members, leaders, a quorum); Belay lets new revisions of them"
          + " through one member at a time, and says in the status what it waits for.";
}
