package dev.belay.governor;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.belay.governor", importOptions = DoNotIncludeTests.class)
class ArrowsTest {

  @ArchTest
  static final ArchRule the_queue_knows_the_JDK_and_itself =
      classes()
          .that()
          .resideInAPackage("dev.belay.governor.queue")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.belay.governor.queue", "java.lang..", "java.util..", "org.jspecify..");

  @ArchTest
  static final ArchRule files_know_no_database =
      noClasses()
          .that()
          .resideInAPackage("dev.belay.governor.files")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "dev.belay.governor.jdbc", "dev.belay.governor.cli");

  @ArchTest
  static final ArchRule nobody_knows_the_shell =
      noClasses()
          .that()
          .resideInAnyPackage("dev.belay.governor.jdbc", "dev.belay.governor.queue")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.belay.governor.cli");
}
