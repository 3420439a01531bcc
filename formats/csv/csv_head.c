/* Reads the lines before the records of a file, other than a header of its own: lines that are skipped, Excel's line sep=; that
 * names the delimiter, and with header=first the header of another file. Each reader that needs that header opens its file, so
 * neither the order in which inputs are opened nor a shard that has only some of them matters. */
#include "formats/archive/archive_kind.h"
#include "formats/csv/csv.h"
#include "formats/csv/csv_head.h"
#include "formats/csv/csv_header.h"

/* The first input that the dialect's source is about; NULL: not known. */
static const char *first_path(const struct csv_reader *r, const struct read_opts *o) {
    const struct text_set *set = o->text.set;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (!o->text.mapping || mapping_source_of(o->text.mapping, set->paths[i]) == r->source) return set->paths[i];
    return NULL;
}

int csv_head_find(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    const char *path = instream_path(r->base.text.in);
    if (r->dialect.header != DIALECT_HEADER_FIRST) return 0;
    if (!(r->first = first_path(r, o)))
        return err_set(err, ERR_USAGE,
                       "%s: header=first is for obkv-import, which knows all of its inputs; give header=each or none", path);
    if (!strcmp(r->first, path)) r->first = NULL;
    if (r->first && !strcmp(r->first, "-"))
        return err_set(err, ERR_USAGE,
                       "header=first: standard input can be read only once; give it alone, or put its header in a file");
    return 0;
}

/* "sep=;" and a line end. 0: it is none. */
static uint8_t sep_of(struct bytes head) {
    const bool is = head.n > 5 && !strncasecmp((const char *)head.p, "sep=", 4) && (head.p[5] == '\n' || head.p[5] == '\r');
    return is ? head.p[4] : 0;
}

static int take_sep(struct csv_reader *r, struct err *err) {
    struct dialect *d = &r->dialect;
    struct bytes head;
    if (!d->sep_line || r->first) return 0;
    if (instream_peek(r->base.text.in, 8, &head, err)) return -1;
    const uint8_t sep = sep_of(head);
    if (!sep) return 0;
    if (!strcmp(d->name, "excel") && !dialect_says(d, DIALECT_DELIMITER)) {
        d->delimiter[0] = sep;
        d->n_delimiter = 1;
    }
    if (d->n_delimiter == 1 && d->delimiter[0] == sep) return text_skip_lines(&r->base.text, 1, err);
    return err_set(err, ERR_USAGE,
                   "%s: its first line, sep=%c, says that %c is the delimiter; give --dialect excel, or skip=1 to pass over it",
                   instream_path(r->base.text.in), sep, sep);
}

int csv_head_pass(struct csv_reader *r, struct err *err) {
    if (r->dialect.skip && !r->first) return text_skip_lines(&r->base.text, r->dialect.skip, err);
    return take_sep(r, err);
}

int csv_head_borrow(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct csv_reader *from,
                    struct err *err) {
    struct bytes head;
    struct read_opts whole = *o;
    whole.blocks.of = 0;
    whole.text.part = (struct text_part){0};
    *from = (struct csv_reader){.dialect = r->dialect, .source = r->source};
    struct instream *in = instream_open(r->first, o->stop, o->memory.unpack, err);
    if (!in || instream_peek(in, CSV_HEADER_MAX_BYTES, &head, err)) {
        instream_close(in);
        return -1;
    }
    const bool packed = archive_kind(head);
    if (text_open(&from->base.text, in, &whole, csv_cr_ends(&r->dialect), err)) return -1;
    if (packed)
        return err_set(err, ERR_UNSUPPORTED, "%s: header=first needs a file with the header as its first input, not an archive",
                       r->first);
    if (csv_head_pass(from, err) || instream_peek(in, CSV_HEADER_MAX_BYTES, &head, err)) return -1;
    if (csv_header_take(h, from, head, err)) return -1;
    if (!h->n) return err_set(err, ERR_INPUT, "%s: header=first, but this first input holds no header", r->first);
    return buf_copy(&r->header, buf_bytes(&from->header), err);
}

void csv_head_return(struct csv_reader *from) {
    text_close(&from->base.text);
    buf_free(&from->header);
}
