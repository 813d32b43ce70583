package dev.belay.api.v1alpha1;

/** The annotations that people and the guard's policies write. */
public final class Annotations {

  /** On a StatefulCluster: one roll-out without gates. Only the value "true" counts. */
  public static final String FORCE = "belay.dev/force-rolling-update";

  /** On a StatefulCluster: who wrote {@link #FORCE}; a policy stamps it, nobody can forge it. */
  public static final String FORCED_BY = "belay.dev/forced-by";

  /** On a StatefulCluster: who wrote spec.requests.approve; a policy stamps it. */
  public static final String APPROVED_BY = "belay.dev/approved-by";

  /** On a StatefulCluster: who wrote any other of spec.requests last; a policy stamps it. */
  public static final String REQUESTED_BY = "belay.dev/requested-by";

  private Annotations() {}
}
