/* TSV by the rules of HBase's ImportTsv: LF, CRLF or CR ends a line, there are no quotes unless asked for; trailing fields may be
 * missing, but a line without a delimiter is bad. */
#include "formats/csv/csv_reader.h"

static struct reader *tsv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return csv_open_dialect(in, o, "tsv", err);
}

static int tsv_sniff(struct bytes head, const char *path) {
    return csv_sniff_text(head, path, '\t', ".tsv", ".tab");
}

const struct format fmt_tsv = {.name = "tsv",
                               .about = "text with TABs, HBase ImportTsv's rules; needs --columns or --map",
                               .sniff = tsv_sniff,
                               .open = tsv_open,
                               .is_text = true};
