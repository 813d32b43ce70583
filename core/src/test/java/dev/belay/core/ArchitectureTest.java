package dev.belay.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;

/** Core knows the JDK and itself; it has no clock, no chance, no threads. */
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
}
