package dev.belay.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** Writes kubeconfig files, readable by their owner only, that verify the sandbox's authority. */
record Kubeconfig(String server, Authority authority) {

  void withCertificate(Path file, String user, Authority.Identity identity) {
    try {
      write(
          file,
          user,
          "default",
          "    client-certificate-data: %s%n    client-key-data: %s"
              .formatted(
                  base64(Files.readString(identity.certificate())),
                  base64(Files.readString(identity.key()))));
    } catch (IOException e) {
      throw new SandboxException("cannot write " + file, e);
    }
  }

  void withToken(Path file, String user, String namespace, String token) {
    write(file, user, namespace, "    token: " + token);
  }

  private void write(Path file, String user, String namespace, String credentials) {
    String content =
        """
        apiVersion: v1
        kind: Config
        current-context: sandbox
        clusters:
        - name: sandbox
          cluster:
            server: %s
            certificate-authority-data: %s
        contexts:
        - name: sandbox
          context: {cluster: sandbox, user: "%s", namespace: "%s"}
        users:
        - name: "%s"
          user:
        %s
        """
            .formatted(
                server, base64(authority.certificatePem()), user, namespace, user, credentials);
    try {
      PrivateFiles.write(file, content);
    } catch (IOException e) {
      throw new SandboxException("cannot write " + file, e);
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
