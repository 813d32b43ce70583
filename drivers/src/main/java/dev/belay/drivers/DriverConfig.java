package dev.belay.drivers;

import dev.belay.drivers.http.Declaration;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a driver needs to be let in, and what only one kind of driver knows: plain values, wherever
 * they were kept.
 *
 * @param http what driver http asks
 * @param ensembleSize how many writable bookies the clients of a BookKeeper need
 * @param placementDriver where the stores of a TiKV are asked for
 */
public record DriverConfig(
    Optional<Tls> tls,
    Optional<Auth> auth,
    Optional<Declaration> http,
    Optional<Integer> ensembleSize,
    Optional<PlacementDriver> placementDriver) {

  /** No encryption, no password. */
  public static final DriverConfig PLAIN = new DriverConfig(Optional.empty(), Optional.empty());

  /** For a system that its driver knows. */
  public DriverConfig(Optional<Tls> tls, Optional<Auth> auth) {
    this(tls, auth, Optional.empty());
  }

  public DriverConfig(Optional<Tls> tls, Optional<Auth> auth, Optional<Declaration> http) {
    this(tls, auth, http, Optional.empty(), Optional.empty());
  }

  /** For bookies. */
  public DriverConfig withEnsembleSize(int size) {
    return new DriverConfig(tls, auth, http, Optional.of(size), placementDriver);
  }

  /** For the stores of TiKV. */
  public DriverConfig withPlacementDriver(PlacementDriver pd) {
    return new DriverConfig(tls, auth, http, ensembleSize, Optional.of(pd));
  }

  /**
   * The PD of a TiKV.
   *
   * @param addresses where its members answer, or a service before them
   * @param evictLeaderTimeout after how long a store goes down although it still leads regions
   */
  public record PlacementDriver(List<URI> addresses, Optional<Duration> evictLeaderTimeout) {

    public PlacementDriver {
      addresses = List.copyOf(addresses);
      if (addresses.isEmpty()) {
        throw new IllegalArgumentException(
            "driver.tikv.pd is empty; say where PD answers, such as pd-0.pd:2379");
      }
    }
  }

  /**
   * TLS material, as PEM text.
   *
   * @param ca whom to trust; empty: the authorities the JDK trusts
   * @param certificate this side's certificate chain, leaf first; needs {@code key}
   * @param key its private key: PKCS#8, or the older RSA and EC forms, not encrypted
   * @param serverName the name the members' certificates must carry, when it is not the address
   */
  public record Tls(
      Optional<byte[]> ca,
      Optional<byte[]> certificate,
      Optional<byte[]> key,
      Optional<String> serverName) {

    public Tls {
      if (certificate.isPresent() != key.isPresent()) {
        throw new IllegalArgumentException(
            "tls: a client certificate needs its key and the other way round, but only the "
                + (certificate.isPresent() ? "certificate" : "key")
                + " is given; give both or neither");
      }
      if (serverName.isPresent() && serverName.get().isBlank()) {
        throw new IllegalArgumentException("tls.serverName is blank; leave it out or give a name");
      }
    }

    public static Tls trusting(byte[] ca) {
      return new Tls(Optional.of(ca), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Tls that
          && same(ca, that.ca)
          && same(certificate, that.certificate)
          && same(key, that.key)
          && serverName.equals(that.serverName);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(ca.orElse(new byte[0])) * 31 + serverName.hashCode();
    }

    private static boolean same(Optional<byte[]> a, Optional<byte[]> b) {
      return a.isPresent() == b.isPresent()
          && Arrays.equals(a.orElse(new byte[0]), b.orElse(new byte[0]));
    }

    /** Key material never reaches a log. */
    @Override
    public String toString() {
      return "Tls[ca=%s, certificate=%s, serverName=%s]"
          .formatted(ca.isPresent(), certificate.isPresent(), serverName.orElse("the address"));
    }
  }

  /** A user and a password. */
  public record Auth(String username, String password) {

    public Auth {
      if (username.isBlank()) {
        throw new IllegalArgumentException("auth.username is blank; give the user's name");
      }
    }

    /** The password never reaches a log. */
    @Override
    public String toString() {
      return "Auth[username=" + username + "]";
    }
  }
}
