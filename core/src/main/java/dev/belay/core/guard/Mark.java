package dev.belay.core.guard;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a workload says which StatefulCluster it belongs to and which operator owns it.
 *
 * @param cluster the label belay.dev/cluster
 * @param owner the annotation belay.dev/owner, as it is written
 */
public record Mark(Optional<String> cluster, Optional<String> owner) {

  /** The label by which the policies find a workload. */
  public static final String LABEL = "belay.dev/cluster";

  /** The annotation that names the owner. */
  public static final String ANNOTATION = "belay.dev/owner";

  /**
   * The field manager of the labels that an operator copies to a workload. One for all installs: a
   * second one would leave the labels of the first behind.
   */
  public static final String LABELS_MANAGER = "belay-labels";

  public static final Mark NONE = new Mark(Optional.empty(), Optional.empty());

  /**
   * The owner: "EPOCH ACCOUNT". An owner with a higher epoch succeeds one with a lower epoch. Epoch
   * 0 is written by the policy that marks a new workload, so that every operator succeeds it.
   */
  public record Stamp(long epoch, String account) {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,15}) (.+)", Pattern.DOTALL);

    /** Empty when the text has another form. */
    public static Optional<Stamp> of(String text) {
      Matcher m = FORM.matcher(text);
      return m.matches()
          ? Optional.of(new Stamp(Long.parseLong(m.group(1)), m.group(2)))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return epoch + " " + account;
    }
  }

  /** The mark that an owner writes. */
  public static Mark of(String cluster, Stamp stamp) {
    return new Mark(Optional.of(cluster), Optional.of(stamp.toString()));
  }

  /** A label without an owner: the workload is frozen on a new template, and the label is free. */
  public static Mark of(String cluster) {
    return new Mark(Optional.of(cluster), Optional.empty());
  }

  /** Empty without an owner, or when the annotation cannot be read. */
  public Optional<Stamp> stamp() {
    return owner.flatMap(Stamp::of);
  }

  public boolean present() {
    return cluster.isPresent();
  }

  /** An owner without a label holds nothing: the policies do not see the workload. */
  boolean held() {
    return cluster.isPresent() && owner.isPresent();
  }

  /** Whether this account is the owner. */
  public boolean heldBy(String account) {
    return held() && stamp().filter(s -> s.account().equals(account)).isPresent();
  }
}
