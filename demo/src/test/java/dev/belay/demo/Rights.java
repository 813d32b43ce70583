package dev.belay.demo;

import dev.belay.demo.Audit.Use;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The rights that roles grant to a service account. */
record Rights(KubernetesClient client, String namespace, String account) {

  private static final Comparator<Use> ORDER =
      Comparator.comparing(Use::group).thenComparing(Use::resource).thenComparing(Use::verb);

  static Set<Use> sorted(Stream<Use> uses) {
    Set<Use> sorted = new TreeSet<>(ORDER);
    uses.forEach(sorted::add);
    return sorted;
  }

  /** Whatever it may do somewhere. */
  Set<Use> granted() {
    Stream<RoleRef> everywhere =
        client.rbac().clusterRoleBindings().list().getItems().stream()
            .filter(b -> isFor(b.getSubjects()))
            .map(b -> b.getRoleRef());
    Stream<PolicyRule> inNamespaces =
        client.rbac().roleBindings().inAnyNamespace().list().getItems().stream()
            .filter(b -> isFor(b.getSubjects()))
            .flatMap(b -> rules(b.getRoleRef(), b.getMetadata().getNamespace()));
    return sorted(
        Stream.concat(everywhere.flatMap(ref -> rules(ref, "")), inNamespaces)
            .flatMap(Rights::uses));
  }

  private boolean isFor(List<Subject> subjects) {
    return subjects.stream()
        .anyMatch(s -> s.getName().equals(account) && namespace.equals(s.getNamespace()));
  }

  private Stream<PolicyRule> rules(RoleRef ref, String in) {
    return ref.getKind().equals("ClusterRole")
        ? client.rbac().clusterRoles().withName(ref.getName()).get().getRules().stream()
        : client.rbac().roles().inNamespace(in).withName(ref.getName()).get().getRules().stream();
  }

  private static Stream<Use> uses(PolicyRule rule) {
    return rule.getApiGroups().stream()
        .flatMap(group ->
            rule.getResources().stream()
                .flatMap(resource ->
                    rule.getVerbs().stream().map(verb -> new Use(group, resource, verb))));
  }
}
