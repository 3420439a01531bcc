/* Collects what could not be taken of one chunk: records as they are, a line of reasons for each, and what damage cost. A batch
 * that has become large is to be handed over before the end of its chunk. */
#include "base/plain.h"
#include "base/text.h"
#include "engine/reject_batch.h"
#include "engine/rejects.h"

enum { BATCH_LARGE_BYTES = 256 * 1024 };

/* Tabs, line ends and backslashes in a path would break the columns of the reasons file; a terminal would obey other controls. */
static int put_path(struct buf *out, const char *path, struct err *err) {
    char piece[PLAIN_BYTES];
    size_t used;
    for (size_t left = strlen(path); left; left -= used, path += used) {
        const char *escape = *path == '\t' ? "\\t" : *path == '\n' ? "\\n" : *path == '\\' ? "\\\\" : NULL;
        size_t n = plain_char((const uint8_t *)path, left, piece, &used);
        if (escape ? buf_put(out, escape, 2, err) : buf_put(out, piece, n, err)) return -1;
    }
    return 0;
}

int reject_batch_add(struct reject_batch *b, const char *path, struct bytes raw, uint64_t line, uint64_t offset, uint32_t column,
                     const char *why, struct err *err) {
    if (buf_put(&b->raw, raw.p, raw.n, err) || buf_put_byte(&b->raw, '\n', err)) return -1;
    b->n++;
    if (put_path(&b->reasons, path, err)) return -1;
    if (buf_printf(&b->reasons, err, "\t%llu\t%llu\t%u\t", (unsigned long long)line, (unsigned long long)offset, column))
        return -1;
    return plain_put(&b->reasons, bytes_str(why), err) || buf_put_byte(&b->reasons, '\n', err) ? -1 : 0;
}

int reject_batch_source(struct reject_batch *b, const char *path, struct bytes header, struct err *err) {
    if (b->n) return 0;
    b->path.n = 0;
    if (buf_put(&b->path, path, strlen(path) + 1, err)) return -1;
    return buf_copy(&b->header, header, err);
}

static int put_row(struct buf *out, struct bytes row, struct err *err) {
    if (!row.p) return buf_put(out, "\t-", 2, err);
    return buf_put_byte(out, '\t', err) || hex_put(out, row, err) ? -1 : 0;
}

int reject_batch_add_lost(struct reject_batch *b, const char *path, const struct lost *lost, struct err *err) {
    struct buf *o = &b->lost;
    if (put_path(o, path, err) || buf_printf(o, err, "\t%llu", (unsigned long long)lost->offset)) return -1;
    if (put_row(o, lost->first_row, err) || put_row(o, lost->last_row, err) || buf_put_byte(o, '\t', err)) return -1;
    if (put_path(o, lost->reason, err)) return -1;
    if (lost->cells == LOST_UNKNOWN) return buf_printf(o, err, "\tunknown\n");
    return buf_printf(o, err, "\t%llu\n", (unsigned long long)lost->cells);
}

bool reject_batch_is_large(const struct reject_batch *b) {
    return b->raw.n + b->reasons.n + b->lost.n + b->sql.n >= BATCH_LARGE_BYTES;
}

void reject_batch_clear(struct reject_batch *b) {
    b->raw.n = b->reasons.n = b->lost.n = b->sql.n = b->n = 0;
}

void reject_batch_free(struct reject_batch *b) {
    buf_free(&b->raw);
    buf_free(&b->reasons);
    buf_free(&b->lost);
    buf_free(&b->sql);
    buf_free(&b->path);
    buf_free(&b->header);
}
