/* Writes what could not be taken, in the order of the inputs whatever the threads did: each chunk has a turn, and its batch
 * waits until all before it have been written (reject_streams.c). Files are made when something is to be written: rejects.txt or
 * rejects.cells (the records), reasons.tsv (why), rejects.sql (statements for a wider table), lost.tsv (what damage cost). */
#include "engine/reject_sources.h"
#include "engine/reject_streams.h"
#include "engine/rejects.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/plain.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENOUGH_FOR_A_REPORT = 1000, PATH_SHOWN = 300 };

static const char sql_head[] =
    "-- Rows that are too long for the table as it was declared. Widen the columns (ALTER TABLE … MODIFY K varbinary(N) NOT "
    "NULL,\n"
    "-- MODIFY V longblob NOT NULL), then run this once with a client; max_allowed_packet must hold the longest line.\n";

struct reject_log {
    struct reject_limit limit;
    const char *(*make_dir)(void *, struct err *);
    void *arg;
    const struct path_names *names;
    const char *dir; /* the caller's, once made */
    int text_fd, cells_fd, reasons_fd, lost_fd, sql_fd;
    uint64_t n;
    struct reject_streams streams;
    struct reject_sources sources;
    char first[640];
};

int reject_limit_parse(const char *text, struct reject_limit *out, struct err *err) {
    char *end;
    size_t digits = strspn(text, "0123456789."), whole = strspn(text, "0123456789");
    bool percent = digits && text[digits] == '%' && !text[digits + 1], number = digits && !text[digits] && whole == digits;
    *out = (struct reject_limit){.percent = -1};
    errno = 0;
    double v = strtod(text, &end);
    if (!(percent || number) || errno || end != text + digits || (percent && v > 100) || v > 1e18)
        return err_set(err, ERR_USAGE, "--max-rejects '%s': expected a number of records or a percentage like 0.1%%", text);
    if (percent)
        out->percent = v;
    else
        out->records = (uint64_t)v;
    return 0;
}

bool reject_limit_exceeded(const struct reject_limit *l, uint64_t rejected, uint64_t read) {
    if (l->percent >= 0) return (double)rejected * 100 > l->percent * (double)read;
    return rejected > l->records;
}

static int write_batch(void *arg, bool is_text, const struct reject_batch *b, struct err *err);

struct reject_log *reject_log_new(const struct reject_limit *limit, const char *(*make_dir)(void *arg, struct err *err),
                                  void *arg, struct err *err) {
    struct reject_log *l = calloc(1, sizeof *l);
    if (!l) {
        err_nomem(err, sizeof *l, "the reject log");
        return NULL;
    }
    l->limit = *limit;
    l->make_dir = make_dir;
    l->arg = arg;
    l->streams = (struct reject_streams){.write = write_batch, .arg = l};
    l->text_fd = l->cells_fd = l->reasons_fd = l->lost_fd = l->sql_fd = -1;
    return l;
}

void reject_log_keep_in(struct reject_log *l, const char *dir, struct disk_quota *quota) {
    l->streams.dir = dir;
    l->streams.quota = quota;
}

void reject_log_name(struct reject_log *l, const struct path_names *names) {
    l->names = names;
}

void reject_log_free(struct reject_log *l) {
    if (!l) return;
    reject_streams_clear(&l->streams);
    reject_sources_free(&l->sources);
    fd_close(l->text_fd);
    fd_close(l->cells_fd);
    fd_close(l->reasons_fd);
    fd_close(l->lost_fd);
    fd_close(l->sql_fd);
    free(l);
}

static int open_in(struct reject_log *l, const char *name, int *fd, struct err *err) {
    if (*fd >= 0) return 0;
    const char *dir = l->make_dir(l->arg, err);
    char *path = dir ? fs_join(dir, name, err) : NULL;
    if (!path) return -1;
    l->dir = dir;
    *fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc = *fd < 0 ? err_sys(err, ERR_OUTPUT, errno, "cannot create %s", path) : 0;
    free(path);
    return rc;
}

/* Takes the text before the next tab or line end. */
static struct bytes take_field(struct bytes *r) {
    size_t n = 0;
    while (n < r->n && r->p[n] != '\t' && r->p[n] != '\n') n++;
    struct bytes field = {r->p, n};
    *r = bytes_of(r->p + n + (n < r->n), r->n - n - (n < r->n));
    return field;
}

/* Remembers the first reject, for the message: file, line and reason. A very long path is cut at its beginning. */
static void note_first(struct reject_log *l, const struct reject_batch *b) {
    struct bytes r = buf_bytes(&b->reasons), path = take_field(&r), line = take_field(&r);
    take_field(&r);
    take_field(&r);
    struct bytes why = take_field(&r);
    size_t cut = path.n > PATH_SHOWN ? path.n - PATH_SHOWN : 0;
    bool numbered = !bytes_eq(line, bytes_str("0"));
    snprintf(l->first, sizeof l->first, "%s%.*s%s%.*s: %.*s", cut ? "…" : "", (int)(path.n - cut), (const char *)path.p + cut,
             numbered ? ":" : "", numbered ? (int)line.n : 0, (const char *)line.p, (int)(why.n < 280 ? why.n : 280),
             (const char *)why.p);
}

static int write_below(struct reject_log *l, const char *name, const char *head, int *fd, const struct buf *text,
                       struct err *err) {
    if (!text->n) return 0;
    bool fresh = *fd < 0;
    if (open_in(l, name, fd, err)) return -1;
    if ((!fresh || !fs_write_full(*fd, head, strlen(head), name, err)) && !fs_write_full(*fd, text->p, text->n, name, err))
        return 0;
    return err_prefix(err, "%s", l->dir);
}

/* Needs no directory. */
static void count_batch(struct reject_log *l, const struct reject_batch *b) {
    if (b->n && !l->first[0]) note_first(l, b);
    l->n += b->n;
}

static int write_named(struct reject_log *l, bool is_text, const struct reject_batch *b, struct err *err) {
    if (!l->make_dir) {
        count_batch(l, b);
        return 0;
    }
    if (write_below(l, "lost.tsv", "#file\toffset\tfirst_key\tlast_key\treason\tcells\n", &l->lost_fd, &b->lost, err)) return -1;
    if (!b->n) return 0;
    if (write_below(l, "reasons.tsv", "#file\tline\toffset\tcolumn\treason\n", &l->reasons_fd, &b->reasons, err) ||
        write_below(l, is_text ? "rejects.txt" : "rejects.cells", "", is_text ? &l->text_fd : &l->cells_fd, &b->raw, err) ||
        write_below(l, "rejects.sql", sql_head, &l->sql_fd, &b->sql, err))
        return -1;
    if (b->path.n &&
        reject_sources_put(&l->sources, l->dir, (const char *)b->path.p, buf_bytes(&b->header), is_text, buf_bytes(&b->raw), err))
        return -1;
    if (!l->first[0]) note_first(l, b);
    l->n += b->n;
    return 0;
}

static int write_batch(void *arg, bool is_text, const struct reject_batch *b, struct err *err) {
    struct reject_log *l = arg;
    if (!l->names || !l->names->n) return write_named(l, is_text, b, err);
    struct reject_batch named = *b;
    named.reasons = named.lost = (struct buf){0};
    int rc = path_names_put(l->names, buf_bytes(&b->reasons), &named.reasons, err);
    if (!rc) rc = path_names_put(l->names, buf_bytes(&b->lost), &named.lost, err);
    if (!rc) rc = write_named(l, is_text, &named, err);
    buf_free(&named.reasons);
    buf_free(&named.lost);
    return rc;
}

bool reject_log_has_turn(const struct reject_log *l, struct reject_turn turn) {
    return reject_streams_has_turn(&l->streams, turn);
}

int reject_log_flush(struct reject_log *l, uint64_t stream, bool is_text, struct reject_batch *b, struct err *err) {
    return reject_streams_flush(&l->streams, stream, is_text, b, err);
}

int reject_log_submit(struct reject_log *l, struct reject_turn turn, bool is_text, struct reject_batch *b, struct err *err) {
    return reject_streams_submit(&l->streams, turn, is_text, b, err);
}

int reject_log_end_stream(struct reject_log *l, uint64_t stream, struct err *err) {
    return reject_streams_end(&l->streams, stream, err);
}

void reject_log_begin_list(struct reject_log *l) {
    reject_streams_clear(&l->streams);
}

int reject_limit_check(const struct reject_limit *limit, const struct reject_log *l, uint64_t rejected, uint64_t read,
                       struct err *err) {
    if (!reject_limit_exceeded(limit, rejected, read)) return 0;
    return err_set(
        err, ERR_REJECTS, "%llu of %llu record%s rejected, more than --max-rejects allows; see %s/reasons.tsv; first: %s",
        (unsigned long long)rejected, (unsigned long long)read, read == 1 ? "" : "s", reject_log_dir(l), reject_log_first(l));
}

bool reject_log_hopeless(const struct reject_log *l) {
    return l->limit.percent < 0 && l->n > l->limit.records && l->n >= ENOUGH_FOR_A_REPORT;
}

const char *reject_log_first(const struct reject_log *l) {
    return l->first;
}

const char *reject_log_dir(const struct reject_log *l) {
    return l->dir ? l->dir : "";
}

int reject_log_finish(struct reject_log *l, struct err *err) {
    int fds[] = {l->text_fd, l->cells_fd, l->reasons_fd, l->lost_fd, l->sql_fd};
    for (size_t i = 0; i < countof(fds); i++)
        if (fds[i] >= 0 && fsync(fds[i])) return err_sys(err, ERR_OUTPUT, errno, "cannot sync the rejects file");
    return reject_sources_finish(&l->sources, err);
}
