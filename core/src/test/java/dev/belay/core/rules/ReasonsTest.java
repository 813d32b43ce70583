package dev.belay.core.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReasonsTest {

  @Test
  void every_reason_is_on_one_of_the_lists() {
    List<Reason> declared =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.belay.core")
                .stream()
                .flatMap(c -> c.getFields().stream())
                .filter(f -> f.getRawType().isEquivalentTo(Reason.class))
                .filter(f -> f.getModifiers().contains(JavaModifier.STATIC))
                .map(ReasonsTest::value)
                .toList();
    var listed = new HashSet<>(Reasons.ALL);
    Rules.ALL.stream().map(Rule::reason).forEach(listed::add);

    assertThat(declared).hasSizeGreaterThan(40).containsExactlyInAnyOrderElementsOf(listed);
  }

  private static Reason value(JavaField declared) {
    Field field = declared.reflect();
    try {
      field.setAccessible(true);
      return (Reason) field.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
