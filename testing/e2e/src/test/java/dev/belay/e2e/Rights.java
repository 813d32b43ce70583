package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.e2e.Audit.Use;
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

  /** Rights that other tests need: their operator has the same roles. */
  private static final Set<Use> UNUSED =
      Set.of(
          // The guard asks for it in the name of the operator; there is no such request.
          new Use("belay.dev", "statefulclusters", "own"),
          // A mark of another account, and a status that cannot be read: MarksIT, OperatorIT.
          new Use("belay.dev", "statefulclusters/status", "patch"),
          // An eviction that was recorded and must not be sent any more: OnDeleteIT.
          new Use("", "pods", "patch"),
          // A broken pod that its controller does not replace: FailureReasonsE2E.
          new Use("", "pods", "delete"));

  /** The operator cannot know whether it has these rights, and asks once. */
  static final Set<Use> ASKED_ONCE =
      Set.of(
          new Use("admissionregistration.k8s.io", "mutatingadmissionpolicies", "list"),
          new Use("admissionregistration.k8s.io", "mutatingadmissionpolicybindings", "list"));

  private static final Comparator<Use> ORDER =
      Comparator.comparing(Use::group).thenComparing(Use::resource).thenComparing(Use::verb);

  static Set<Use> sorted(Stream<Use> uses) {
    Set<Use> sorted = new TreeSet<>(ORDER);
    uses.forEach(sorted::add);
    return sorted;
  }

  /** What was forbidden is known, and every right but those of {@link #UNUSED} was used. */
  static void assertUsed(Release release, List<Release> asked, Set<Use> forbidden) {
    Arena arena = release.arena();
    Audit audit = new Audit(arena.sandbox().auditLog());
    for (Release each : asked) {
      assertThat(forbidden)
          .as("forbidden to " + each.name())
          .containsAll(audit.uses(each.account(), false));
    }
    Set<Use> unused =
        sorted(new Rights(arena.client(), release.name(), release.operator()).granted().stream());
    assertThat(unused).as("granted").isNotEmpty();
    asked.forEach(each -> unused.removeAll(audit.uses(each.account(), true)));
    assertThat(UNUSED).as("the rights that are granted and not used").containsAll(unused);
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
