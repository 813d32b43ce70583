package dev.belay.sim.world;

import java.util.Locale;

/** An install of Belay. Its processes share an account, a Lease and a selector. */
public enum Install {
  BELAY,
  CANARY;

  /** Its name, and the label that its selector asks for. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The account of its processes; each install has its own. */
  public String account() {
    return "system:serviceaccount:" + label() + "-system:belay-operator";
  }

  public boolean selects(ClusterObject cluster) {
    return cluster.labels().contains(this);
  }

  public Install other() {
    return this == BELAY ? CANARY : BELAY;
  }

  static boolean isAccount(String user) {
    return user.equals(BELAY.account()) || user.equals(CANARY.account());
  }

  public static Install named(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
