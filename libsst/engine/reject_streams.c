/* The order of rejects, whatever the order in which chunks come. A stream is an input, or what else has its chunks one after the
 * other. Within a stream, a batch waits for the batches before it: at most one for each thread, in memory. Batches of a stream
 * whose turn has not come are kept in a temporary file, since an input may be read to its end while one before it is not done.
 * When its turn comes, they are read back and written, and it becomes the current stream. */
#include "base/fs.h"
#include "engine/reject_batch.h"
#include "engine/reject_streams.h"
#include "engine/rejects.h"

#include <stdlib.h>

enum { PARTS_OF_BATCH = 6 };

/* A batch that waits for those before it in its stream. */
struct reject_pending {
    struct reject_pending *next;
    uint64_t number;
    bool is_text;
    struct reject_batch batch;
};

/* A batch in the temporary file: its parts lie one after the other. */
struct kept_batch {
    uint64_t at, n;
    size_t bytes[PARTS_OF_BATCH];
    bool is_text;
};

struct reject_stream {
    struct reject_stream *next;
    uint64_t number, next_chunk;
    bool ended;
    struct reject_pending *waiting; /* ascending */
    struct kept_batch *kept;
    size_t n_kept;
};

static void parts_of(struct reject_batch *b, struct buf *parts[PARTS_OF_BATCH]) {
    struct buf *all[PARTS_OF_BATCH] = {&b->raw, &b->reasons, &b->lost, &b->sql, &b->path, &b->header};
    memcpy(parts, all, sizeof all);
}

static void stream_free(struct reject_stream *s) {
    for (struct reject_pending *p; (p = s->waiting);) {
        s->waiting = p->next;
        reject_batch_free(&p->batch);
        free(p);
    }
    free(s->kept);
    free(s);
}

/* ---- kept ---- */

static int keep(struct reject_streams *all, struct reject_stream *s, bool is_text, struct reject_batch *b, struct err *err) {
    struct kept_batch k = {.n = b->n, .is_text = is_text};
    struct buf *parts[PARTS_OF_BATCH];
    if (!b->n && !b->lost.n) return 0;
    if (!all->has_kept && tempfile_open(&all->kept, all->dir, all->quota, err)) return -1;
    all->has_kept = true;
    k.at = all->kept.bytes;
    parts_of(b, parts);
    for (size_t i = 0; i < PARTS_OF_BATCH; i++) {
        k.bytes[i] = parts[i]->n;
        if (parts[i]->n && tempfile_append(&all->kept, parts[i]->p, parts[i]->n, err)) return -1;
    }
    if (grow_array(&s->kept, s->n_kept, sizeof *s->kept, "the reject log", err)) return -1;
    s->kept[s->n_kept++] = k;
    return 0;
}

static int read_back(const struct reject_streams *all, const struct kept_batch *k, struct reject_batch *b, struct err *err) {
    struct buf *parts[PARTS_OF_BATCH];
    uint64_t at = k->at;
    parts_of(b, parts);
    b->n = k->n;
    for (size_t i = 0; i < PARTS_OF_BATCH; at += k->bytes[i++]) {
        buf_clear(parts[i]);
        if (buf_reserve(parts[i], k->bytes[i] + 1, err)) return -1;
        if (fs_pread_full(all->kept.fd, parts[i]->p, k->bytes[i], at, "a temporary file", err)) return -1;
        parts[i]->n = k->bytes[i];
    }
    return 0;
}

/* The turn of a stream has come. */
static int write_kept(const struct reject_streams *all, struct reject_stream *s, struct err *err) {
    struct reject_batch b = {0};
    int rc = 0;
    for (size_t i = 0; i < s->n_kept && !rc; i++) {
        rc = read_back(all, &s->kept[i], &b, err);
        if (!rc) rc = all->write(all->arg, s->kept[i].is_text, &b, err);
    }
    s->n_kept = 0;
    reject_batch_free(&b);
    return rc;
}

/* ---- streams ---- */

static const struct reject_stream *find_stream(const struct reject_streams *all, uint64_t number) {
    const struct reject_stream *s = all->first;
    while (s && s->number < number) s = s->next;
    return s && s->number == number ? s : NULL;
}

static struct reject_stream *stream_of(struct reject_streams *all, uint64_t number, struct err *err) {
    struct reject_stream **at = &all->first, *s;
    while (*at && (*at)->number < number) at = &(*at)->next;
    if (*at && (*at)->number == number) return *at;
    if (!(s = calloc(1, sizeof *s))) {
        err_nomem(err, sizeof *s, "the reject log");
        return NULL;
    }
    s->number = number;
    s->next = *at;
    return *at = s;
}

/* Takes a batch that follows on what its stream has submitted before. */
static int put_batch(struct reject_streams *all, struct reject_stream *s, bool is_text, struct reject_batch *b, struct err *err) {
    return s->number == all->current ? all->write(all->arg, is_text, b, err) : keep(all, s, is_text, b, err);
}

static int park(struct reject_stream *s, uint64_t number, bool is_text, struct reject_batch *b, struct err *err) {
    struct reject_pending *p = calloc(1, sizeof *p), **at = &s->waiting;
    if (!p) return err_nomem(err, sizeof *p, "the reject log");
    p->number = number;
    p->is_text = is_text;
    p->batch = *b;
    *b = (struct reject_batch){0};
    while (*at && (*at)->number < number) at = &(*at)->next;
    p->next = *at;
    *at = p;
    return 0;
}

bool reject_streams_has_turn(const struct reject_streams *all, struct reject_turn turn) {
    const struct reject_stream *s = find_stream(all, turn.stream);
    return turn.number == (s ? s->next_chunk : 0);
}

int reject_streams_flush(struct reject_streams *all, uint64_t stream, bool is_text, struct reject_batch *b, struct err *err) {
    struct reject_stream *s = stream_of(all, stream, err);
    if (!s || put_batch(all, s, is_text, b, err)) return -1;
    reject_batch_clear(b);
    return 0;
}

int reject_streams_submit(struct reject_streams *all, struct reject_turn turn, bool is_text, struct reject_batch *b,
                          struct err *err) {
    struct reject_stream *s = stream_of(all, turn.stream, err);
    if (!s) return -1;
    if (turn.number != s->next_chunk) return park(s, turn.number, is_text, b, err);
    if (put_batch(all, s, is_text, b, err)) return -1;
    reject_batch_clear(b);
    s->next_chunk++;
    while (s->waiting && s->waiting->number == s->next_chunk) {
        struct reject_pending *p = s->waiting;
        s->waiting = p->next;
        int rc = put_batch(all, s, p->is_text, &p->batch, err);
        reject_batch_free(&p->batch);
        free(p);
        if (rc) return -1;
        s->next_chunk++;
    }
    return 0;
}

int reject_streams_end(struct reject_streams *all, uint64_t stream, struct err *err) {
    struct reject_stream *s = stream_of(all, stream, err);
    if (!s) return -1;
    s->ended = true;
    while ((s = all->first) && s->number == all->current && s->ended) {
        all->first = s->next;
        all->current++;
        stream_free(s);
        if (all->first && all->first->number == all->current && write_kept(all, all->first, err)) return -1;
    }
    return 0;
}

void reject_streams_clear(struct reject_streams *all) {
    for (struct reject_stream *s; (s = all->first);) {
        all->first = s->next;
        stream_free(s);
    }
    if (all->has_kept) tempfile_close(&all->kept);
    all->has_kept = false;
    all->current = 0;
}
