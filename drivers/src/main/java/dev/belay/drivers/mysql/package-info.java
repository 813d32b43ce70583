/** The driver for MySQL and MariaDB with replication by GTIDs: one primary, replicas, SQL. */
@NullMarked
package dev.belay.drivers.mysql;

import org.jspecify.annotations.NullMarked;
