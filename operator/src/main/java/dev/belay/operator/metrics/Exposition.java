package dev.belay.operator.metrics;

import dev.belay.operator.metrics.Family.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The text format that Prometheus scrapes, version 0.0.4. */
final class Exposition {

  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private Exposition() {}

  /** Every family with its help and type, those without a number too. */
  static String text(List<Sample> samples) {
    var out = new StringBuilder();
    for (Family family : Family.values()) {
      out.append("# HELP ").append(family.text()).append(' ').append(escapeHelp(family.help()));
      out.append("\n# TYPE ").append(family.text()).append(' ').append(family.kind()).append('\n');
      samples.stream().filter(s -> s.family() == family).forEach(s -> line(out, s));
    }
    return out.toString();
  }

  private static void line(StringBuilder out, Sample sample) {
    var labels = new ArrayList<String>();
    for (int i = 0; i < sample.labelValues().size(); i++) {
      labels.add(
          "%s=\"%s\""
              .formatted(sample.family().labels().get(i), escape(sample.labelValues().get(i))));
    }
    out.append(sample.family().text()).append('{').append(String.join(",", labels)).append("} ");
    out.append(number(sample.value())).append('\n');
  }

  /** Whole numbers without a fraction, all others to the millisecond; never 1.7E9. */
  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.3f", value);
  }

  private static String escape(String label) {
    return escapeHelp(label).replace("\"", "\\\"");
  }

  private static String escapeHelp(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }
}
