package dev.belay.api.v1alpha1;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A short text that is equal for equal pod templates. A Deployment names its newest revision only
 * once its controller has made a ReplicaSet of it, and while it is paused there is none.
 */
public final class Fingerprint {

  /** What the controller adds to the template of a ReplicaSet. */
  private static final String ADDED = "pod-template-hash";

  private static final int LENGTH = 10;

  private Fingerprint() {}

  public static String of(PodTemplateSpec template) {
    Map<?, ?> plain = Serialization.unmarshal(Serialization.asJson(template), Map.class);
    if (plain.get("metadata") instanceof Map<?, ?> metadata
        && metadata.get("labels") instanceof Map<?, ?> labels) {
      labels.remove(ADDED);
    }
    return hash(Serialization.asJson(sorted(plain)));
  }

  /** In one order, and what is absent and what is empty are the same, as for the controller. */
  private static @Nullable Object sorted(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      var result = new TreeMap<String, Object>();
      map.forEach((key, part) -> {
        Object inside = sorted(part);
        if (inside != null) {
          result.put(String.valueOf(key), inside);
        }
      });
      return result.isEmpty() ? null : result;
    }
    if (value instanceof List<?> list) {
      var result = new ArrayList<@Nullable Object>();
      list.forEach(part -> result.add(sorted(part)));
      return result.isEmpty() ? null : result;
    }
    return value;
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
