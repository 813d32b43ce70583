package dev.belay.sandbox.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything that one start of one container needs. */
record Launch(
    Path folder,
    String hostname,
    Path hosts,
    Path image,
    List<Volumes.Mount> mounts,
    Optional<String> workingDir,
    Environment environment,
    Path log) {

  /** A shell script that builds the container's root and becomes its process. */
  String script(boolean privileged, List<String> otherMounts) {
    List<String> lines = new ArrayList<>();
    lines.add("set -e");
    // Before /proc is ours it still shows the pid that the host knows.
    lines.add("read -r pid rest </proc/self/stat");
    lines.add("R=%s S=%s".formatted(quote(folder.resolve("root")), quote(folder.resolve("layer"))));
    lines.add("hostname " + quote(hostname));
    lines.add(PLACE);
    lines.add(privileged ? WHOLE_ROOT : ROOT_BY_FOLDERS);
    lines.add(privileged ? "root" : "root " + String.join(" ", targets()));
    if (privileged) {
      otherMounts.forEach(mount -> lines.add("other " + quote(mount)));
    }
    lines.add(KERNEL);
    lines.add("bind %s /etc/hosts".formatted(quote(hosts)));
    lines.add("bind %s /image ro".formatted(quote(image)));
    for (Volumes.Mount mount : mounts) {
      lines.add(
          "bind %s %s%s"
              .formatted(
                  quote(mount.source()),
                  quote(resolved(mount.target())),
                  mount.readOnly() ? " ro" : ""));
    }
    lines.add("echo pid $pid");
    lines.add("exec >>%s 2>&1".formatted(quote(log)));
    lines.add("exec chroot \"$R\" " + words(inContainer(environment.command())));
    return String.join("\n", lines) + "\n";
  }

  /** The command with exactly the container's environment and working folder around it. */
  List<String> inContainer(List<String> command) {
    // A shell lets what it starts in the background ignore these two.
    List<String> words = new ArrayList<>(List.of("env", "-i", "--default-signal=INT,QUIT"));
    words.add("--chdir=" + workingDir.orElse("/"));
    for (Map.Entry<String, String> variable : environment.variables().entrySet()) {
      words.add(variable.getKey() + "=" + variable.getValue());
    }
    words.addAll(command);
    return words;
  }

  private List<String> targets() {
    List<String> targets = new ArrayList<>();
    for (Volumes.Mount mount : mounts) {
      String kind = Files.isDirectory(mount.source()) ? "/" : "";
      targets.add(quote(resolved(mount.target()) + kind));
    }
    return targets;
  }

  /**
   * Where a path of the container really is. The root of a container shows the root of this
   * machine, so its links are those of this machine: /var/run would lead the mount out of the
   * container.
   */
  static String resolved(String target) {
    Path path = Path.of("/").resolve(target).normalize();
    Path missing = Path.of("");
    while (path.getParent() != null) {
      try {
        return path.toRealPath().resolve(missing).toString();
      } catch (IOException absent) {
        missing = path.getFileName().resolve(missing.toString());
        path = path.getParent();
      }
    }
    return "/" + missing;
  }

  static String words(List<String> words) {
    return String.join(" ", words.stream().map(Launch::quote).toList());
  }

  private static String quote(Path path) {
    return quote(path.toString());
  }

  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** {@code bind SOURCE TARGET [ro]}; the layer is where the container's own writes go. */
  private static final String PLACE =
      """
      mkdir -p "$R" "$S/upper" "$S/work"
      place() {
        if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "${2%/*}"; [ -e "$2" ] || : >"$2"; fi
      }
      bind() {
        place "$1" "$R$2"
        mount --bind "$1" "$R$2"
        if [ "${3-}" = ro ]; then mount -o remount,bind,ro "$R$2"; fi
      }
      other() {
        [ -d "$R$1" ] || return 0
        mount --rbind "$1" "$R$1" && mount -o remount,bind,ro "$R$1" || :
      }
      overlay() {
        mount -t overlay overlay -o "$4lowerdir=$1,upperdir=$2,workdir=$3" "$R$5" 2>/dev/null
      }\
      """;

  /** One overlay over /; on a file system that cannot carry the upper layer, memory does. */
  private static final String WHOLE_ROOT =
      """
      root() {
        overlay / "$S/upper" "$S/work" "" "" && return
        mount -t tmpfs -o mode=755 tmpfs "$S"
        mkdir "$S/upper" "$S/work"
        mount -t overlay overlay -o "lowerdir=/,upperdir=$S/upper,workdir=$S/work" "$R"
      }\
      """;

  /**
   * Without root the kernel refuses an overlay over a folder with mounts in it, so each folder of /
   * gets its own, and those that contain mounts are shown as they are. Places to mount on are made
   * in the upper layer: in the lower one they would belong to a user we are not.
   */
  private static final String ROOT_BY_FOLDERS =
      """
      root() {
        mount -t tmpfs -o mode=755 tmpfs "$R"
        mkdir "$R/proc" "$R/dev" "$R/sys"
        for target in /etc/hosts "$@"; do
          case $target in
            */) mkdir -p "$S/upper$target";;
            *) mkdir -p "$S/upper${target%/*}"; : >>"$S/upper$target";;
          esac
        done
        for entry in /*; do
          name=${entry#/}
          case $name in proc | dev | sys) continue;; esac
          if [ -L "$entry" ]; then cp -P "$entry" "$R/$name"; continue; fi
          [ -d "$entry" ] || continue
          mkdir -p "$R/$name" "$S/upper/$name" "$S/work/$name"
          overlay "$entry" "$S/upper/$name" "$S/work/$name" userxattr, "/$name" ||
            mount --rbind "$entry" "$R/$name"
        done
      }\
      """;

  private static final String KERNEL =
      """
      mount --rbind /dev "$R/dev"
      mount -t tmpfs tmpfs "$R/dev/shm" 2>/dev/null || :
      mount --rbind /sys "$R/sys"
      mount -t proc proc "$R/proc" 2>/dev/null || mount --rbind /proc "$R/proc"\
      """;
}
