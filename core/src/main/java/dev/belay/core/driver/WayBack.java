package dev.belay.core.driver;

import dev.belay.core.model.Fact;
import java.util.Optional;

/**
 * The lowest version a component may return to.
 *
 * @param floor the version below which there is no way back; empty when nothing limits it; Unknown
 *     when it could not be read, which allows no automatic rollback
 */
public record WayBack(Fact<Optional<String>> floor, String reason) {

  public static WayBack open(String reason) {
    return new WayBack(Fact.known(Optional.empty()), reason);
  }

  public static WayBack floor(String version, String reason) {
    return new WayBack(Fact.known(Optional.of(version)), reason);
  }

  public static WayBack unknown(String why) {
    return new WayBack(Fact.unknown(why), why);
  }
}
