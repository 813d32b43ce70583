package dev.belay.sandbox;

import dev.belay.sandbox.Authority.Identity;
import dev.belay.sandbox.Authority.Subject;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/** The command lines of the control plane. */
record ControlPlaneCommands(
    Path dir, Binaries binaries, Authority authority, InetAddress address, Path auditPolicy) {

  List<String> etcd(int clientPort, int peerPort) {
    Identity server = authority.issue("etcd", Subject.server("etcd", List.of(), address));
    String client = "https://%s:%d".formatted(host(), clientPort);
    String peer = "https://%s:%d".formatted(host(), peerPort);
    return List.of(
        binaries.etcd().toString(),
        "--name=control-plane",
        "--data-dir=" + dir.resolve("etcd"),
        "--listen-client-urls=" + client,
        "--advertise-client-urls=" + client,
        "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=control-plane=" + peer,
        "--cert-file=" + server.certificate(),
        "--key-file=" + server.key(),
        "--client-cert-auth",
        "--trusted-ca-file=" + authority.certificateFile(),
        "--peer-cert-file=" + server.certificate(),
        "--peer-key-file=" + server.key(),
        "--peer-client-cert-auth",
        "--peer-trusted-ca-file=" + authority.certificateFile(),
        // A sandbox may lose its last second with the machine; it may not wait for the disk.
        "--unsafe-no-fsync",
        "--log-level=warn");
  }

  List<String> apiServer(int port, int etcdPort) {
    List<String> names =
        List.of(
            "localhost",
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local");
    Identity server =
        authority.issue("apiserver", Subject.server("kube-apiserver", names, address));
    Identity toEtcd = authority.issue("apiserver-etcd", Subject.client("kube-apiserver"));
    Identity toKubelet =
        authority.issue("apiserver-kubelet", Subject.client("kube-apiserver", "system:masters"));
    Identity serviceAccounts = authority.serviceAccountKey();
    return List.of(
        binaries.apiServer().toString(),
        "--etcd-servers=https://%s:%d".formatted(host(), etcdPort),
        "--etcd-cafile=" + authority.certificateFile(),
        "--etcd-certfile=" + toEtcd.certificate(),
        "--etcd-keyfile=" + toEtcd.key(),
        "--bind-address=" + host(),
        "--advertise-address=" + host(),
        "--secure-port=" + port,
        // Endpoints refuse loopback addresses, so there is nothing to reconcile.
        "--endpoint-reconciler-type=none",
        "--tls-cert-file=" + server.certificate(),
        "--tls-private-key-file=" + server.key(),
        "--client-ca-file=" + authority.certificateFile(),
        "--kubelet-certificate-authority=" + authority.certificateFile(),
        "--kubelet-client-certificate=" + toKubelet.certificate(),
        "--kubelet-client-key=" + toKubelet.key(),
        "--kubelet-preferred-address-types=InternalIP",
        "--authorization-mode=Node,RBAC",
        "--service-account-key-file=" + serviceAccounts.certificate(),
        "--service-account-signing-key-file=" + serviceAccounts.key(),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--audit-policy-file=" + auditPolicy,
        "--audit-log-path=" + dir.resolve("audit.log"),
        "--audit-log-maxsize=2000");
  }

  List<String> controllerManager(Path kubeconfig, int port) {
    return List.of(
        binaries.controllerManager().toString(),
        "--kubeconfig=" + kubeconfig,
        "--authentication-kubeconfig=" + kubeconfig,
        "--authorization-kubeconfig=" + kubeconfig,
        "--bind-address=" + host(),
        "--secure-port=" + port,
        "--cert-dir=" + dir.resolve("pki"),
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        "--service-account-private-key-file=" + authority.serviceAccountKey().key(),
        "--root-ca-file=" + authority.certificateFile(),
        "--cluster-signing-cert-file=" + authority.certificateFile(),
        "--cluster-signing-key-file=" + authority.keyFile(),
        // The default of 20 requests a second would hide how fast pods are.
        "--kube-api-qps=500",
        "--kube-api-burst=1000");
  }

  List<String> scheduler(Path kubeconfig, int port) {
    return List.of(
        binaries.scheduler().toString(),
        "--kubeconfig=" + kubeconfig,
        "--authentication-kubeconfig=" + kubeconfig,
        "--authorization-kubeconfig=" + kubeconfig,
        "--bind-address=" + host(),
        "--secure-port=" + port,
        "--cert-dir=" + dir.resolve("pki"),
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=1000");
  }

  private String host() {
    return address.getHostAddress();
  }
}
