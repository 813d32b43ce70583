package dev.belay.operator.observe;

import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A workload as the API server has it, whichever its kind. */
public sealed interface Live {

  /** What tells workloads of a namespace apart. */
  record Name(Workload.Kind kind, String name) {}

  /** A StatefulSet. */
  record Set(StatefulSet object) implements Live {

    @Override
    public Workload.Kind kind() {
      return Workload.Kind.STATEFUL_SET;
    }

    @Override
    public ObjectMeta metadata() {
      return object.getMetadata();
    }

    @Override
    public PodTemplateSpec template() {
      return object.getSpec().getTemplate();
    }

    @Override
    public LabelSelector selector() {
      return object.getSpec().getSelector();
    }

    @Override
    public int minReadySeconds() {
      return orZero(object.getSpec().getMinReadySeconds());
    }

    @Override
    public String service() {
      return Objects.requireNonNullElse(object.getSpec().getServiceName(), "");
    }

    /** Whether its controller leaves every pod alone until somebody deletes it. */
    public boolean onDelete() {
      var strategy = object.getSpec().getUpdateStrategy();
      return strategy != null && "OnDelete".equals(strategy.getType());
    }
  }

  /** A Deployment. */
  record Deployed(Deployment object) implements Live {

    @Override
    public Workload.Kind kind() {
      return Workload.Kind.DEPLOYMENT;
    }

    @Override
    public ObjectMeta metadata() {
      return object.getMetadata();
    }

    @Override
    public PodTemplateSpec template() {
      return object.getSpec().getTemplate();
    }

    @Override
    public LabelSelector selector() {
      return object.getSpec().getSelector();
    }

    @Override
    public int minReadySeconds() {
      return orZero(object.getSpec().getMinReadySeconds());
    }

    @Override
    public String service() {
      return "";
    }

    boolean paused() {
      return Boolean.TRUE.equals(object.getSpec().getPaused());
    }
  }

  Workload.Kind kind();

  ObjectMeta metadata();

  PodTemplateSpec template();

  LabelSelector selector();

  int minReadySeconds();

  /** The service under which its pods have names of their own; empty when there is none. */
  String service();

  /** The mark on its metadata. */
  default Mark mark() {
    return new Mark(
        Optional.ofNullable(metadata().getLabels()).map(l -> l.get(Mark.LABEL)),
        Optional.ofNullable(metadata().getAnnotations()).map(a -> a.get(Mark.ANNOTATION)));
  }

  default Name name() {
    return new Name(kind(), metadata().getName());
  }

  private static int orZero(@Nullable Integer value) {
    return value == null ? 0 : value;
  }
}
