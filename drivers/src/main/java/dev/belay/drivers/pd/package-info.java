/** The driver for PD, the placement driver of TiKV and TiDB: its HTTP API and its embedded etcd. */
@NullMarked
package dev.belay.drivers.pd;

import org.jspecify.annotations.NullMarked;
