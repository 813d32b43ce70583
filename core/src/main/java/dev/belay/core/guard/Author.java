package dev.belay.core.guard;

/**
 * The author of a write.
 *
 * @param owns whether the account holds the verb own on the StatefulCluster that the label names
 * @param byHand whether a person waits for the answer: kubectl patch, edit, label, annotate or
 *     rollout. A person gets an error, a controller keeps working with the old value.
 */
public record Author(String account, boolean owns, boolean byHand) {}
