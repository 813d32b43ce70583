package dev.belay.governor.queue;

import dev.belay.governor.queue.Operation.Ticket;

/** What a state asks for: at most one durable write, so that a crash falls before or after it. */
public sealed interface Effect {

  /** Read what is stored and what every master holds. */
  record Look() implements Effect {}

  /** Nothing to do for now. */
  record Rest(Why why, String reason) implements Effect {
    /** What kind of rest it is. */
    public enum Why {
      /** The queue is drained. */
      DRAINED,
      /** A failed row stops the line until a person decides. */
      STOPPED,
      /** Something outside has to get better. */
      WAITING,
      /** A newer governor has taken over; this one is finished. */
      OUTRANKED
    }
  }

  /** Write that masters may know of the operation from now on. */
  record RecordStart(Operation op) implements Effect {}

  /** Apply the operation at home and leave the transaction open: the only effect not durable. */
  record ApplyAtHome(Operation op) implements Effect {}

  /** Apply the operation at a master and prepare it there. */
  record Prepare(Operation op, String master) implements Effect {}

  /** Commit the transaction left open at home together with the status: this is the decision. */
  record CommitAtHome(Operation op, boolean settled) implements Effect {}

  /** Roll back what is open at home and write the failure: this is the decision to abort. */
  record RecordFailure(Operation op, String error, boolean settled) implements Effect {}

  /** Write that a lock was busy, nothing was applied, and it will be tried again. */
  record RecordPostponed(Operation op, String error) implements Effect {}

  /** Tell a master that has prepared what was decided. */
  record Tell(Ticket ticket, String master, boolean commit) implements Effect {}

  /** Write that every master knows the decision and every declared replica has replayed it. */
  record RecordSettled(Operation op) implements Effect {}

  /** Write, at the master, that a statement is about to run there. */
  record Intend(Operation op, String master, int statement) implements Effect {}

  /** Run the statement and write the acknowledgement, in one transaction where there is one. */
  record Apply(Operation op, String master, int statement) implements Effect {}

  /** Find out whether a statement that was intended and never acknowledged took place. */
  record Verify(Operation op, String master, int statement) implements Effect {}

  /** Write the acknowledgement of a statement that is known to have taken place. */
  record Acknowledge(Operation op, String master, int statement) implements Effect {}

  /** Take back the intent of a statement that is known not to have taken place. */
  record Retract(Operation op, String master, int statement) implements Effect {}

  /** Write that every statement is acknowledged by every master. */
  record RecordDone(Operation op, boolean settled) implements Effect {}
}
