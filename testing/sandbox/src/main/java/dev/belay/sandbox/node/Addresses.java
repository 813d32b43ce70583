package dev.belay.sandbox.node;

import java.util.HashMap;
import java.util.Map;

/** Gives every pod name an address of its own, the same one whenever that name comes back. */
final class Addresses {
  // 127.X.0-15.* are for the control plane and nodes, and no address ends in 0 or 255.
  private static final int FIRST_BLOCK = 16;
  private static final int BLOCKS = 230;
  private static final int PER_BLOCK = 254;

  private final String prefix;
  private final Map<String, Integer> slotOf = new HashMap<>();
  private final Map<Integer, String> ownerOf = new HashMap<>();

  /** Addresses of this /16, given as its first two numbers with the dot: {@code "127.16."}. */
  Addresses(String prefix) {
    this.prefix = prefix;
  }

  synchronized String of(String namespace, String pod) {
    String owner = namespace + "/" + pod;
    Integer known = slotOf.get(owner);
    if (known != null) {
      return render(known);
    }
    int slots = BLOCKS * PER_BLOCK;
    int slot = Math.floorMod(owner.hashCode() * 0x9E3779B1, slots);
    for (int i = 0; i < slots; i++) {
      if (ownerOf.putIfAbsent(slot, owner) == null) {
        slotOf.put(owner, slot);
        return render(slot);
      }
      slot = (slot + 1) % slots;
    }
    throw new IllegalStateException("all " + slots + " pod addresses of " + prefix + " are used");
  }

  private String render(int slot) {
    return prefix + (FIRST_BLOCK + slot / PER_BLOCK) + "." + (1 + slot % PER_BLOCK);
  }
}
