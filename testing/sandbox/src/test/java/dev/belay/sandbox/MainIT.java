package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sandbox as a program: nothing of it is left, however it ends. */
class MainIT {
  @TempDir static Path dir;

  /** A sandbox in its own JVM with a pod whose process changed its user and left its session. */
  private record Program(Process process, Path box, String mark) {
    static Program start(String name, String... before) throws Exception {
      Path images = dir.resolve("images");
      Pods.image(images, "test/app/1");
      Path box = dir.resolve(name);
      List<String> command = new ArrayList<>(List.of(before));
      command.addAll(
          List.of(
              Path.of(System.getProperty("java.home"), "bin/java").toString(),
              "-cp",
              System.getProperty("java.class.path"),
              "dev.belay.sandbox.Main",
              "up",
              "--dir",
              box.toString(),
              "--nodes",
              "1",
              "--images",
              images.toString()));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
      StringBuilder said = new StringBuilder();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        said.append(line).append('\n');
        if (line.startsWith("sandbox ready: export KUBECONFIG=" + box.resolve("kubeconfig"))) {
          return new Program(process, box, "" + System.nanoTime());
        }
      }
      throw new AssertionError("not ready: " + said);
    }

    void runPod() throws Exception {
      // As root the process also changes its user, which takes the parent-death signal from it.
      String become =
          System.getProperty("user.name").equals("root")
              ? "setpriv --reuid=65534 --regid=65534 --clear-groups -- "
              : "";
      Path manifest = box.resolve("pod.yaml");
      Files.writeString(
          manifest,
          """
          {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [
            {name: c, image: "test/app:1", command: [sh, -c, "exec %s sh -c 'setsid sleep 9%s & sleep 8%s'"]}]}}
          """
              .formatted(become, mark, mark));
      Path kubectl = Binaries.find().kubectl();
      Process apply =
          new ProcessBuilder(
                  kubectl.toString(),
                  "--kubeconfig",
                  box.resolve("kubeconfig").toString(),
                  "apply",
                  "-f",
                  manifest.toString())
              .redirectErrorStream(true)
              .redirectOutput(box.resolve("apply.log").toFile())
              .start();
      assertThat(apply.waitFor()).isZero();
      Pods.until("the pod's processes run", () -> sleepers().size() >= 2);
    }

    List<String> sleepers() throws Exception {
      return Pods.commandsWith(mark).stream().filter(line -> line.contains(" sleep ")).toList();
    }

    void leavesNothing() throws Exception {
      Pods.until(
          "nothing of " + box + " is left",
          () -> Pods.commandsWith(mark).isEmpty() && Pods.commandsWith(box.toString()).isEmpty());
    }
  }

  @Test
  void sigterm_ends_everything_in_order() throws Exception {
    Program program = Program.start("term");
    program.runPod();
    program.process().destroy();
    assertThat(program.process().waitFor(20, TimeUnit.SECONDS)).isTrue();
    program.leavesNothing();
  }

  @Test
  void sigkill_of_the_jvm_leaves_nothing_either() throws Exception {
    Program program = Program.start("kill");
    program.runPod();
    program.process().destroyForcibly().waitFor();
    program.leavesNothing();
  }

  @Test
  void it_ends_when_its_parent_does() throws Exception {
    Program program = Program.start("orphan", "sh", "-c", "\"$@\"; :", "sh");
    program.process().destroyForcibly().waitFor();
    program.leavesNothing();
  }

  @Test
  void two_side_by_side_share_nothing_and_closing_one_leaves_the_other() throws Exception {
    Pods.image(dir.resolve("images"), "test/app/1");
    Sandbox.Options options =
        Sandbox.Options.in(dir.resolve("left")).withNodes(1).withImages(dir.resolve("images"));
    String pod =
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: \"test/app:1\"}]}}";
    try (Sandbox left = Sandbox.start(options)) {
      Path box = dir.resolve("right");
      try (Sandbox right =
          Sandbox.start(Sandbox.Options.in(box).withNodes(1).withImages(dir.resolve("images")))) {
        new Pods(left).apply(pod);
        new Pods(right).apply(pod);
        String leftIp = new Pods(left).awaitReady("p").getStatus().getPodIP();
        String rightIp = new Pods(right).awaitReady("p").getStatus().getPodIP();
        assertThat(leftIp.split("\\.", -1)[1]).isNotEqualTo(rightIp.split("\\.", -1)[1]);
      }
      assertThat(Pods.commandsWith(box.toString())).isEmpty();
      assertThat(Pods.ready(new Pods(left).awaitReady("p"))).isTrue();
    }
    assertThat(Pods.commandsWith(dir.resolve("left").toString())).isEmpty();
  }
}
