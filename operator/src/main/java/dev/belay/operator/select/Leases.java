package dev.belay.operator.select;

/** What the Leases of this and of other installs say. */
public interface Leases {

  /** Whether this process holds the Lease of its install, and may act. */
  boolean held();

  /**
   * Whether another install is gone.
   *
   * @param lease as NAMESPACE/NAME
   */
  boolean expired(String lease);
}
