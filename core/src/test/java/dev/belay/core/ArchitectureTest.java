package dev.belay.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Core knows the JDK and itself; it has no clock, no chance, no threads and no cycles. */
@AnalyzeClasses(packages = "dev.belay.core", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule CORE_KNOWS_THE_JDK_ONLY =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages("java..", "dev.belay.core..", "org.jspecify..");

  @ArchTest
  static final ArchRule NO_CLOCK =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class)
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  @ArchTest
  static final ArchRule NO_CHANCE =
      noClasses().should().dependOnClassesThat().areAssignableTo(Random.class);

  /** What is said in one locale is compared with what was said in another. */
  @ArchTest
  static final ArchRule NO_LOCALE =
      noClasses()
          .should()
          .callMethod(String.class, "formatted", Object[].class)
          .orShould()
          .callMethod(String.class, "format", String.class, Object[].class)
          .orShould()
          .callMethod(String.class, "toLowerCase")
          .orShould()
          .callMethod(String.class, "toUpperCase");

  @ArchTest
  static final ArchRule NO_THREADS =
      noClasses().should().dependOnClassesThat().resideInAPackage("java.util.concurrent..");

  @ArchTest
  static final ArchRule NO_IO =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio..", "java.net.http..");

  /** Each package uses only those before it. */
  private static final List<String> ORDER =
      List.of(
          "model", "state", "driver", "rules", "rollout", "decide", "report", "loop", "forecast");

  @ArchTest
  static void packages_point_one_way(JavaClasses core) {
    for (int i = 0; i < ORDER.size(); i++) {
      for (String later : ORDER.subList(i + 1, ORDER.size())) {
        noClasses()
            .that()
            .resideInAPackage("dev.belay.core." + ORDER.get(i))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.belay.core." + later)
            .check(core);
      }
    }
  }

  @ArchTest
  static final ArchRule THE_GUARD_KNOWS_THE_MODEL_ONLY =
      noClasses()
          .that()
          .resideInAPackage("dev.belay.core.guard")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "java..", "org.jspecify..", "dev.belay.core.guard", "dev.belay.core.model");

  @ArchTest
  static final ArchRule NO_CYCLE_OF_PACKAGES =
      SlicesRuleDefinition.slices().matching("dev.belay.core.(*)").should().beFreeOfCycles();

  /** Two pairs belong together: a reason makes its objections, a workload names its strategy. */
  @ArchTest
  static final ArchRule NO_CYCLE_OF_CLASSES =
      SlicesRuleDefinition.slices()
          .assignedFrom(new TopLevelClasses())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(in(Reason.class), in(Objection.class))
          .ignoreDependency(in(Workload.class), in(Spec.class));

  private static DescribedPredicate<JavaClass> in(Class<?> outer) {
    return DescribedPredicate.describe(
        outer.getSimpleName(), c -> topLevel(c).equals(outer.getName()));
  }

  private static String topLevel(JavaClass type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** A class and what is nested in it. */
  private static final class TopLevelClasses implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return type.getName().startsWith("dev.belay.core.")
          ? SliceIdentifier.of(topLevel(type))
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "classes of core";
    }
  }
}
