/** One entry of the log; an empty text only marks the beginning of a term, or a read. */
record Entry(long term, String text) {

  static Entry parse(String line) {
    int blank = line.indexOf(' ');
    return new Entry(Long.parseLong(line.substring(0, blank)), line.substring(blank + 1));
  }
}
