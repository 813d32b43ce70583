package dev.belay.drivers;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.drivers.bookkeeper.BookkeeperDriver;
import dev.belay.drivers.bookkeeper.BookkeeperPolicy;
import dev.belay.drivers.etcd.EtcdDriver;
import dev.belay.drivers.etcd.EtcdPolicy;
import dev.belay.drivers.http.HttpDriver;
import dev.belay.drivers.http.HttpPolicy;
import dev.belay.drivers.mysql.MysqlDriver;
import dev.belay.drivers.mysql.MysqlPolicy;
import dev.belay.drivers.none.NoneDriver;
import dev.belay.drivers.pd.PdDriver;
import dev.belay.drivers.pd.PdPolicy;
import dev.belay.drivers.tikv.TikvDriver;
import dev.belay.drivers.tikv.TikvPolicy;
import java.util.List;

/** The drivers by the name a StatefulCluster gives them. */
public final class Drivers {

  /** The known types, as they are written in {@code driver.type}. */
  public static final List<String> TYPES =
      List.of("etcd", "pd", "mysql", "bookkeeper", "tikv", "http", "none");

  private Drivers() {}

  /** A driver of this type; close it when the configuration changes. */
  public static Driver create(String type, DriverConfig config) {
    return switch (type) {
      case "etcd" -> new EtcdDriver(config);
      case "pd" -> new PdDriver(config);
      case "mysql" -> new MysqlDriver(config);
      case "bookkeeper" -> new BookkeeperDriver(config);
      case "tikv" -> new TikvDriver(config);
      case "http" -> new HttpDriver(config);
      case "none" -> new NoneDriver();
      default -> throw unknown(type);
    };
  }

  /** The pure half alone, for those who only plan or document. */
  public static SystemPolicy policy(String type) {
    return switch (type) {
      case "etcd" -> EtcdPolicy.INSTANCE;
      case "pd" -> PdPolicy.INSTANCE;
      case "mysql" -> MysqlPolicy.INSTANCE;
      case "bookkeeper" -> BookkeeperPolicy.INSTANCE;
      case "tikv" -> TikvPolicy.INSTANCE;
      case "http" -> HttpPolicy.INSTANCE;
      case "none" -> SystemPolicy.NONE;
      default -> throw unknown(type);
    };
  }

  private static IllegalArgumentException unknown(String type) {
    return new IllegalArgumentException(
        "driver.type \"" + type + "\" is unknown; known types: " + String.join(", ", TYPES));
  }
}
