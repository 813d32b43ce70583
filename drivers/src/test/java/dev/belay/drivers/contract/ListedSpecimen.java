package dev.belay.drivers.contract;

/** A system that keeps a list of who belongs to it. */
public interface ListedSpecimen extends Specimen {

  /** Everybody's list lacks the last member, which answers as before. */
  void unlist();
}
