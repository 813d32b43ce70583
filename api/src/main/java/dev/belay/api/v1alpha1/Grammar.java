package dev.belay.api.v1alpha1;

/**
 * The texts that the schema accepts. They are CEL rules and not patterns, because a rule can say
 * the cure in words.
 */
final class Grammar {

  /** Kept equal to {@link dev.belay.core.model.Version} by a test. */
  static final String VERSION = "^v?[0-9]{1,9}(\\\\.[0-9]{1,9})*([-+_a-zA-Z][-+_.a-zA-Z0-9]*)?$";

  static final String VERSION_RULE = "self.matches('" + VERSION + "')";

  static final String VERSION_MESSAGE =
      "is not a version: write numbers with dots, an optional v in front and a suffix, such as"
          + " 3.6.1 or v3.6.1-debian-12-r3";

  /** The digits are bounded so that no sum of parts can overflow before it is compared. */
  private static final String DURATION = "^([0-9]{1,5}(s|m|h)|[0-9]{1,8}ms)+$";

  static final String DURATION_RULE =
      "self.matches('" + DURATION + "') && duration(self) <= duration('24h')";

  /** What something may take: in no time at all nothing is ever ready, and all would fail. */
  static final String PATIENCE_RULE = DURATION_RULE + " && duration(self) > duration('0s')";

  static final String PATIENCE_MESSAGE =
      "is not a time above 0s, up to 24h, and in no time every member would count as failed: write"
          + " it like 30s, 10m or 1h30m, or leave it out";

  /**
   * Kept loose on purpose: registries differ. What a shell or a log would trip over is not in it.
   */
  private static final String IMAGE =
      "^[a-zA-Z0-9]([a-zA-Z0-9._/:@-]|[{]version[}])*([a-zA-Z0-9]|[{]version[}])$";

  static final String IMAGE_RULE = "self.all(c, self[c].matches('" + IMAGE + "'))";

  static final String IMAGE_MESSAGE =
      "an image has a character that no image has, such as a blank: write it like"
          + " registry.example:5000/team/etcd:{version}";

  /** What a person writes and Belay shows again, in the status, in events and in its log. */
  static final String TOKEN_RULE = "self.matches('^[ -~]*$')";

  static final String TOKEN_MESSAGE =
      "has a line break, a control character or a letter outside of ASCII, and is shown in events"
          + " and logs: write it in plain letters, such as 2026-11-17 or ticket-42";

  /**
   * What is no time has an error of its own. Absent are the three only in the schema's own default,
   * which the API server judges before it is filled in.
   */
  static final String DEADLINE_RULE =
      "!(has(self.soak) && has(self.readyTimeout) && has(self.progressDeadline))"
          + " || [self.soak, self.readyTimeout, self.progressDeadline].exists(t, !t.matches('"
          + DURATION
          + "')) || duration(self.soak) + duration(self.readyTimeout) <="
          + " duration(self.progressDeadline)";

  /** A workload without a kind is a StatefulSet. */
  static final String STRATEGY_RULE =
      "!has(self.workload.kind) || self.workload.kind != 'Deployment' || !has(self.rollout)"
          + " || !has(self.rollout.strategy) || self.rollout.strategy == 'Native'";

  private static final String HAS_SERVICE =
      "!has(self.workload.kind) || self.workload.kind != 'Deployment' || has(self.workload.service)";

  private static final String NOT_SERVICE = ".all(c, !has(c.ask) || c.ask != 'service'))";

  /** What can never be answered would be waited for until the deadline. */
  static final String SERVICE_RULE =
      HAS_SERVICE
          + " || !has(self.checks) || ("
          + "(!has(self.checks.beforeUpgrade) || self.checks.beforeUpgrade"
          + NOT_SERVICE
          + " && "
          + "(!has(self.checks.beforeComponent) || self.checks.beforeComponent"
          + NOT_SERVICE
          + " && "
          + "(!has(self.checks.beforeMember) || self.checks.beforeMember"
          + NOT_SERVICE
          + " && "
          + "(!has(self.checks.afterMember) || self.checks.afterMember"
          + NOT_SERVICE
          + " && "
          + "(!has(self.checks.afterComponent) || self.checks.afterComponent"
          + NOT_SERVICE
          + " && "
          + "(!has(self.checks.afterUpgrade) || self.checks.afterUpgrade"
          + NOT_SERVICE
          + ")";

  /** Around a component and the whole upgrade an action has nobody but the service to go to. */
  static final String ACTION_RULE =
      HAS_SERVICE
          + " || !has(self.actions) || ("
          + "!has(self.actions.beforeUpgrade) && !has(self.actions.beforeComponent)"
          + " && !has(self.actions.afterComponent) && !has(self.actions.afterUpgrade)"
          + " && (!has(self.actions.beforeMember) || self.actions.beforeMember"
          + NOT_SERVICE
          + " && (!has(self.actions.afterMember) || self.actions.afterMember"
          + NOT_SERVICE
          + ")";

  private static final String ROLLED_BY_BELAY =
      "((!has(self.workload.kind) || self.workload.kind != 'Deployment')"
          + " && !(has(self.rollout) && has(self.rollout.strategy)"
          + " && self.rollout.strategy == 'Native'))";

  /** A controller that rolls in its own way asks nobody who leads and who is needed. */
  static final String NATIVE_RULE =
      ROLLED_BY_BELAY
          + " || self.driver.type == 'none'"
          + " || (self.driver.type == 'http' && has(self.driver.http)"
          + " && has(self.driver.http.minHealthy) && self.driver.http.minHealthy == 0"
          + " && !has(self.driver.http.leader))";

  static final String NATIVE_ACTION_RULE =
      ROLLED_BY_BELAY
          + " || !has(self.actions)"
          + " || !(has(self.actions.beforeMember) || has(self.actions.afterMember))";

  static final String BATCH_RULE =
      "!has(self.maxUnavailable) || self.maxUnavailable <= 1"
          + " || (has(self.strategy) && self.strategy == 'OnDelete')";

  /** Two components of one workload would each wait for the other to leave it alone. */
  static final String ONE_EACH_RULE =
      "self.components.all(c, self.components.exists_one(d, d.workload.name == c.workload.name"
          + " && d.workload.kind == c.workload.kind))";

  static final String MIGRATED_RULE =
      "!has(self.migrations) || !has(self.migrations.component)"
          + " || self.components.exists(c, c.name == self.migrations.component)";

  static final String DURATION_MESSAGE =
      "is not a time from 0s to 24h: write it like 500ms, 30s, 10m or 1h30m";

  /** Kept equal to what core matches by a test. A suffix is not compared, so it is refused. */
  static final String PATH = "^v?[0-9]{1,9}(\\\\.[0-9]{1,9})*(\\\\.x)?$";

  static final String PATH_RULE = "self.matches('" + PATH + "')";

  static final String PATH_MESSAGE =
      "is neither a version nor the beginning of one: write numbers with dots, such as 0.12.3, or"
          + " 0.12.x for all that begin with 0.12; a suffix is not compared, leave it out";

  /** A path with its query, as it goes over the wire. */
  static final String HTTP_PATH = "^/([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$";

  /** A name or an address, and where needed a port. */
  static final String HOST_PORT =
      "^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$";

  /** A DNS-1123 label: what names containers and components. */
  static final String LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** A DNS-1123 subdomain: what names objects. */
  static final String NAME = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";

  private Grammar() {}
}
