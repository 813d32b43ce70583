/**
 * The demonstration. Its clients of etcd and kubectl are public: testing/e2e and testing/bench use
 * them.
 */
@NullMarked
package dev.belay.demo;

import org.jspecify.annotations.NullMarked;
