package dev.belay.drivers.contract;

/** A system in which one leads: among the recorded members the second. */
public interface LedSpecimen extends Specimen {

  /** Where a leader is told to hand over to the third member. */
  String command();

  /** What the system says when it takes that command. */
  FakeMember.Answer acknowledgement();

  /** The member sees nobody lead. */
  void loseLeader(FakeMember member);

  /** The member says that the third one leads, in the same term. */
  void seeThirdLead(FakeMember member);
}
