package dev.belay.drivers.contract;

import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;

/** A system that lets in who has a password. */
public interface PasswordedSpecimen extends Specimen {

  /** Another driver of this kind, let in by what is configured. */
  Driver driver(DriverConfig config);

  /** From now on members let user root in with this password only. */
  void demand(String password);
}
