package dev.belay.operator.actions;

import dev.belay.api.v1alpha1.ActionSpec.Expect;
import dev.belay.api.v1alpha1.Errand;
import dev.belay.api.v1alpha1.Errand.Pace;
import dev.belay.api.v1alpha1.Request;
import dev.belay.core.model.Action;
import dev.belay.operator.wire.Call;
import dev.belay.operator.wire.Expectation;
import java.util.List;
import java.util.Optional;

/** What is to be sent, and how patiently, whoever it goes to. */
record Order(Request request, Expect expect, Pace pace) {

  private static final Expect NOTHING_MORE = new Expect(null, null, null, null);

  /** An action, as the spec has it; empty when it has it no longer. */
  static Optional<Order> of(Action action, List<Errand> errands) {
    return errands.stream()
        .filter(e -> e.action().equals(action))
        .findFirst()
        .map(e -> new Order(e.request(), e.expect(), e.pace()));
  }

  /**
   * What takes an action back, as it was written down: the spec, which may name it no longer, only
   * says how patiently. Empty when what is written down is no request.
   */
  static Optional<Order> undoing(String undo, List<Errand> errands) {
    Pace pace =
        errands.stream()
            .filter(e -> e.action().undo().equals(undo))
            .findFirst()
            .map(Errand::pace)
            .orElse(Pace.DEFAULT);
    return Request.read(undo).map(r -> new Order(r, NOTHING_MORE, pace));
  }

  Call call() {
    return new Call(
        request.method().name(),
        request.port(),
        request.path(),
        request.body(),
        Expectation.of(request, expect));
  }
}
