package dev.belay.drivers.bookkeeper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A page as text; empty when nobody answers. */
final class Http {

  private Http() {}

  static String get(URI uri) {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
