/* CSV with RFC 4180 quotes: LF or CRLF ends a record outside of quotes, and every record has exactly the mapped number of
 * fields. */
#include "formats/csv/csv_reader.h"

static struct reader *csv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return csv_open_dialect(in, o, "csv", err);
}

static int csv_sniff(struct bytes head, const char *path) {
    return csv_sniff_text(head, path, ',', ".csv", ".csv");
}

const struct format fmt_csv = {.name = "csv",
                               .about = "text with delimiters and RFC 4180 quotes; needs --columns or --map",
                               .sniff = csv_sniff,
                               .open = csv_open,
                               .is_text = true};
