package dev.belay.drivers.mysql;

/** Which of the two families a server belongs to: their words for replication differ. */
enum Flavor {
  MARIADB,
  MYSQL;

  static Flavor of(String version) {
    return version.contains("MariaDB") ? MARIADB : MYSQL;
  }
}
