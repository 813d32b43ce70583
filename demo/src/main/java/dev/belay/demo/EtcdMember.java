package dev.belay.demo;

/**
 * One member as etcd and Kubernetes show it.
 *
 * @param version what the process itself says it is; empty when it does not answer
 * @param image the tag its pod asks for
 */
public record EtcdMember(
    String pod, String uid, String image, String version, Role role, boolean ready) {

  /** What a member is at the moment. */
  public enum Role {
    LEADER,
    FOLLOWER,
    /** It answers, and knows no leader: there is no quorum. */
    LEADERLESS,
    /** It is there and does not answer. */
    SILENT,
    /** Its pod is being ended or made. */
    RESTARTING
  }

  public boolean leads() {
    return role == Role.LEADER;
  }

  public boolean serves() {
    return role == Role.LEADER || role == Role.FOLLOWER;
  }
}
