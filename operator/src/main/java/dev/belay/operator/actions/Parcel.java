package dev.belay.operator.actions;

import dev.belay.api.v1alpha1.ActionSpec;
import dev.belay.api.v1alpha1.Errand;
import dev.belay.api.v1alpha1.Errand.Pace;
import dev.belay.api.v1alpha1.Request;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory.Obligation;
import dev.belay.operator.wire.Call;
import dev.belay.operator.wire.Expectation;
import java.util.List;
import java.util.Optional;

/**
 * A request that is to be sent for an obligation.
 *
 * @param undo whether it is the one that takes the action back
 */
record Parcel(String id, boolean undo, String host, Call call, Pace pace) {

  private static final ActionSpec.Expect NOTHING_MORE =
      new ActionSpec.Expect(null, null, null, null);

  /** What does it, as the spec has it; empty when it has it no longer. */
  static Optional<Parcel> of(Step.Act step, String host, List<Errand> errands) {
    return errands.stream()
        .filter(e -> e.action().equals(step.action()))
        .findFirst()
        .map(e -> {
          Expectation expectation = Expectation.of(e.request(), e.expect());
          String id = step.obligation().id();
          return new Parcel(id, false, host, call(e.request(), expectation), e.pace());
        });
  }

  /**
   * What takes it back, as it was written down: the spec, which may name it no longer, only says at
   * which pace. Empty when what is written down is no request.
   */
  static Optional<Parcel> undoing(Obligation obligation, String host, List<Errand> errands) {
    Pace pace =
        errands.stream()
            .filter(e -> e.action().undo().equals(obligation.undo()))
            .findFirst()
            .map(Errand::pace)
            .orElse(Pace.DEFAULT);
    return Request.read(obligation.undo())
        .map(r -> {
          Expectation expectation = Expectation.of(r, NOTHING_MORE);
          return new Parcel(obligation.id(), true, host, call(r, expectation), pace);
        });
  }

  private static Call call(Request request, Expectation expectation) {
    return new Call(
        request.method().name(), request.port(), request.path(), request.body(), expectation);
  }
}
