package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.Question;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.WholeUpgrade;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import dev.belay.operator.wire.Addresses;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A question that matters now, put to one object. Whatever is different about it makes it another
 * one, whose count begins anew: another pod, address, try, or a member that has come back since.
 *
 * @param uid of the pod that is asked; empty for the service
 * @param since when the roll-out was last begun, tried again, or another member came to serve
 */
record Due(String component, Question question, String uid, String host, Instant since) {

  /** Nothing is asked while no roll-out is under way. */
  static List<Due> in(
      Snapshot snapshot, Component component, List<Question> questions, Addresses addresses) {
    var matter =
        new Matter(new Course(snapshot, component), snapshot.memory().component(component.name()));
    if (questions.isEmpty() || snapshot.subject().deleting() || !matter.memory.adopted()) {
      return List.of();
    }
    return questions.stream()
        .flatMap(q ->
            matter.since(q).filter(_ -> matter.now(q)).stream()
                .flatMap(since ->
                    switch (q.check().on()) {
                      case TARGET, EACH ->
                          matter
                              .asked(q)
                              .flatMap(p ->
                                  addresses.of(p).stream()
                                      .map(h -> new Due(component.name(), q, p.uid(), h, since)));
                      case SERVICE ->
                          addresses.ofService().stream()
                              .map(h -> new Due(component.name(), q, "", h, since));
                    }))
        .toList();
  }

  /** Which questions matter at this point of a roll-out, and to whom. */
  private record Matter(Course course, ComponentMemory memory) {

    boolean now(Question question) {
      return switch (question.check().moment()) {
        case BEFORE_UPGRADE -> whole().begins();
        case BEFORE_COMPONENT -> !course.withdrawing() && course.arrived().isEmpty();
        case BEFORE_MEMBER -> !course.withdrawing() && !course.outdated().isEmpty();
        case AFTER_MEMBER -> calm();
        case AFTER_COMPONENT -> !course.withdrawing() && calm() && course.outdated().isEmpty();
        case AFTER_UPGRADE -> whole().isThrough();
      };
    }

    /**
     * Around the whole upgrade those are asked, too, who do not move themselves; before a member
     * moves, what came up in any component is news.
     */
    Optional<Instant> since(Question question) {
      return switch (question.check().moment()) {
        case BEFORE_UPGRADE, AFTER_UPGRADE -> whole().lastNews();
        case BEFORE_COMPONENT, BEFORE_MEMBER -> course.lastNews().flatMap(_ -> whole().lastNews());
        case AFTER_MEMBER, AFTER_COMPONENT -> course.lastNews();
      };
    }

    private WholeUpgrade whole() {
      return new WholeUpgrade(course.snapshot());
    }

    /**
     * While a member is on its way the others may rightly miss it, and their bad answers would fail
     * a good upgrade: what comes after is asked when everyone who was updated serves.
     */
    private boolean calm() {
      Component component = course.component();
      boolean complete =
          component
              .workload()
              .asOptional()
              .filter(w -> component.podsInRange(w).size() == w.replicas())
              .isPresent();
      return complete
          && !course.arrived().isEmpty()
          && component.podList().stream().noneMatch(Pod::terminating)
          && course.arrived().stream()
              .allMatch(p -> p.ready() && memory.servingSince().containsKey(p.uid()));
    }

    Stream<Pod> asked(Question question) {
      return switch (question.check().moment()) {
        case BEFORE_UPGRADE, BEFORE_COMPONENT, AFTER_UPGRADE ->
            course.component().podList().stream();
        case BEFORE_MEMBER -> members(question, course.outdated());
        case AFTER_MEMBER, AFTER_COMPONENT ->
            members(question, course.arrived()).filter(Pod::ready);
      };
    }

    private Stream<Pod> members(Question question, List<Pod> targets) {
      return switch (question.check().on()) {
        case TARGET -> targets.stream();
        case EACH -> course.component().podList().stream();
        case SERVICE -> Stream.empty();
      };
    }
  }
}
