package dev.belay.governor.queue;

import dev.belay.governor.queue.Operation.Ticket;
import java.util.List;

/** Where the governor stands; every state asks for exactly one effect. */
public sealed interface State {

  Effect effect();

  /** Nothing is known, or what was known may be out of date. */
  record Looking() implements State {
    @Override
    public Effect effect() {
      return new Effect.Look();
    }
  }

  /** Nothing can be done until something changes outside. */
  record Resting(Effect.Rest.Why why, String reason) implements State {
    @Override
    public Effect effect() {
      return new Effect.Rest(why, reason);
    }
  }

  /** Masters are about to hear of the operation. */
  record Starting(Operation op, State then) implements State {
    @Override
    public Effect effect() {
      return new Effect.RecordStart(op);
    }
  }

  /** All masters are reached; those in {@code prepared} were prepared before a crash. */
  record Opening(Operation op, List<String> unprepared, List<String> prepared) implements State {
    @Override
    public Effect effect() {
      return new Effect.ApplyAtHome(op);
    }
  }

  /** Applied at home, uncommitted; some masters still have to prepare. */
  record Preparing(Operation op, List<String> unprepared, List<String> prepared) implements State {
    @Override
    public Effect effect() {
      return new Effect.Prepare(op, unprepared.getFirst());
    }
  }

  /** Every master can commit. */
  record Committing(Operation op, boolean settled) implements State {
    @Override
    public Effect effect() {
      return new Effect.CommitAtHome(op, settled);
    }
  }

  /** It failed; {@code settled} unless a master may have prepared it. */
  record Failing(Operation op, String error, boolean settled) implements State {
    @Override
    public Effect effect() {
      return new Effect.RecordFailure(op, error, settled);
    }
  }

  /** A lock was busy and nothing was applied. */
  record Postponing(Operation op, String error) implements State {
    @Override
    public Effect effect() {
      return new Effect.RecordPostponed(op, error);
    }
  }

  /** Decided, and a master that has prepared it does not know. */
  record Telling(Ticket ticket, String master, boolean commit) implements State {
    @Override
    public Effect effect() {
      return new Effect.Tell(ticket, master, commit);
    }
  }

  /** Decided, every master knows, every replica has replayed it. */
  record Settling(Operation op) implements State {
    @Override
    public Effect effect() {
      return new Effect.RecordSettled(op);
    }
  }

  /** Going by steps; the cursor's statement has no intent yet. */
  record Intending(Operation op, Cursor at) implements State {
    @Override
    public Effect effect() {
      return new Effect.Intend(op, at.master(), at.statement());
    }
  }

  /** The intent stands and the statement certainly has not run. */
  record Applying(Operation op, Cursor at) implements State {
    @Override
    public Effect effect() {
      return new Effect.Apply(op, at.master(), at.statement());
    }
  }

  /** The intent stands and nobody knows whether the statement has run. */
  record Doubting(Operation op, Cursor at) implements State {
    @Override
    public Effect effect() {
      return new Effect.Verify(op, at.master(), at.statement());
    }
  }

  /** The statement was found to have run. */
  record Acknowledging(Operation op, Cursor at) implements State {
    @Override
    public Effect effect() {
      return new Effect.Acknowledge(op, at.master(), at.statement());
    }
  }

  /** The statement failed without a trace; its intent goes before the failure is written. */
  record Retracting(Operation op, Cursor at, State then) implements State {
    @Override
    public Effect effect() {
      return new Effect.Retract(op, at.master(), at.statement());
    }
  }

  /** Every statement is acknowledged everywhere; {@code settled} if no replica has to follow. */
  record Finishing(Operation op, boolean settled) implements State {
    @Override
    public Effect effect() {
      return new Effect.RecordDone(op, settled);
    }
  }

  /**
   * The first statement that is not acknowledged yet, and what is behind it.
   *
   * @param later masters after this one, each with its own progress
   */
  record Cursor(String master, int statement, List<Later> later) {
    public Cursor {
      later = List.copyOf(later);
    }

    /** A master whose turn has not come. */
    public record Later(String master, Sight.Progress progress) {}
  }
}
