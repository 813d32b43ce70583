package dev.belay.drivers.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Seat;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {

  private static final List<Seat> BY_NAME = seats("http://db-%d.db.shop.svc:80");
  private static final List<Seat> BY_ADDRESS = seats("http://10.0.0.%d:80");

  private static List<Seat> seats(String address) {
    return IntStream.range(0, 12)
        .mapToObj(i -> new Seat("db-" + i, "db-" + i, URI.create(address.formatted(i))))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "db-1, db-1",
    "db-1.db, db-1",
    "db-1.db.shop.svc.cluster.local, db-1",
    "https://DB-1.db:8201, db-1",
    "db-11.db:8300, db-11",
    "db-1.dbx, ''",
    "db-1.other.shop.svc, ''",
    "db, ''",
    "10.0.0.1, ''",
    "not a name, ''",
    "http://, ''",
  })
  void a_member_is_meant_by_its_name_or_its_host(String text, String pod) {
    assertThat(meant(text, BY_NAME)).isEqualTo(pod);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, db-1",
    "10.0.0.1:8300, db-1",
    "http://10.0.0.11:80/x, db-11",
    "10.0.0, ''",
    "10.0.0.12, ''",
  })
  void or_by_its_address(String text, String pod) {
    assertThat(meant(text, BY_ADDRESS)).isEqualTo(pod);
  }

  private static String meant(String text, List<Seat> seats) {
    return String.join(
        ", ", Names.meant(text, seats, Function.identity()).stream().map(Seat::pod).toList());
  }
}
