package dev.belay.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The operator knows no database protocol; observing writes nothing and acting reads nothing. */
@AnalyzeClasses(
    packages = "dev.belay.operator",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule NO_DATABASE_PROTOCOL =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.belay.drivers.etcd..", "java.sql..");

  @ArchTest
  static final ArchRule ONLY_THE_WIRE_SPEAKS_HTTP =
      noClasses()
          .that()
          .resideOutsideOfPackage("..wire..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.net.http..");

  @ArchTest
  static final ArchRule OBSERVING_DOES_NOT_ACT =
      noClasses()
          .that()
          .resideInAPackage("..observe..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..act..", "..record..");
}
