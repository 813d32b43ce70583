/** etcd over its JSON gateway: one half does I/O, the other is pure. */
@NullMarked
package dev.belay.drivers.etcd;

import org.jspecify.annotations.NullMarked;
