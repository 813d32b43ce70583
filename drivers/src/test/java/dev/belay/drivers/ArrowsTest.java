package dev.belay.drivers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.belay.drivers",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArrowsTest {

  @ArchTest
  static final ArchRule drivers_know_no_kubernetes =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.fabric8..", "io.javaoperatorsdk..");

  @ArchTest
  static final ArchRule drivers_know_core_and_nobody_else_of_belay =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.belay.operator..", "dev.belay.api..", "dev.belay.cli..", "dev.belay.sandbox..");

  @ArchTest
  static final ArchRule the_pure_half_does_no_io =
      noClasses()
          .that()
          .haveNameMatching(".*(Policy|Rules|Notes|Debts|Picture|Readings|Registry|Ids)")
          .or()
          .haveNameMatching(".*\\.(Versions|Target|Leading|Switchover|HandOver|Roles|Relations)")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.net.http..", "java.io..", "java.sql..", "java.util.concurrent..");
}
