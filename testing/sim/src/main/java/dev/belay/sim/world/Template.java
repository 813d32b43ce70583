package dev.belay.sim.world;

/**
 * A pod template: the image's name and tag and how often somebody ran {@code rollout restart}. The
 * tag says how the program behaves: {@code -crash} exits at start, {@code -hang} never serves,
 * {@code -missing} is in no registry, {@code -odd} serves and fails the check that is asked of it.
 *
 * <p>Kubernetes names a revision after a hash of the template, so that a reverted template gets its
 * old revision back; here the name is the template itself.
 */
public record Template(String name, String tag, int restarts) {

  public static final String CONTAINER = "db";

  /** Of the first component. */
  public Template(String tag, int restarts) {
    this(Setup.COMPONENT, tag, restarts);
  }

  public String image() {
    return "example/" + name + ":" + tag;
  }

  public static Template of(String image, int restarts) {
    int colon = image.lastIndexOf(':');
    return new Template(
        image.substring(image.lastIndexOf('/') + 1, colon), image.substring(colon + 1), restarts);
  }

  public String revision() {
    return restarts == 0 ? name + "-" + tag : name + "-" + tag + "-r" + restarts;
  }

  /** The same version of another component. */
  Template in(Part part) {
    return new Template(part.name(), tag, restarts);
  }

  public boolean crashes() {
    return tag.endsWith("-crash");
  }

  public boolean hangs() {
    return tag.endsWith("-hang");
  }

  public boolean missing() {
    return tag.endsWith("-missing");
  }

  /** It comes up and serves, and does not do what it is for. */
  public boolean odd() {
    return tag.endsWith("-odd");
  }

  public boolean broken() {
    return crashes() || hangs() || missing() || odd();
  }

  /** The minor version: the second number of the tag. */
  public int minor() {
    return Integer.parseInt(tag.split("[.-]", -1)[1]);
  }
}
