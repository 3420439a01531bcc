#include "formats/hfile/hfile_stretches.h"

#include "base/buf.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_reader.h"

#include <stdlib.h>

/* Ranges [from, to) by number, all finished; keys are empty as long as no cell was seen. */
struct stretch {
    uint64_t from, to;
    struct buf first_key, last_key;
};

static void stretch_free(struct stretch *s) {
    buf_free(&s->first_key);
    buf_free(&s->last_key);
}

/* Adds b, which follows a, to a; b is emptied. */
static int join(const char *path, struct stretch *a, struct stretch *b, const struct hfile_disorder_sink *disorder,
                struct err *err) {
    struct kv_key end, begin;
    if (a->last_key.n && b->first_key.n) {
        if (!kv_key_parse(buf_bytes(&a->last_key), &end) || !kv_key_parse(buf_bytes(&b->first_key), &begin))
            return err_set(err, ERR_INTERNAL, "%s: a scan returned a malformed key", path);
        bool descends = kv_key_cmp(&end, &begin) > 0;
        if (descends && disorder && disorder->put(disorder->arg, path, buf_bytes(&a->last_key), buf_bytes(&b->first_key), err))
            return -1;
        if (descends && !disorder)
            return err_set(err, ERR_INPUT,
                           "%s: block range %llu begins with a cell that belongs before the end of the range before it", path,
                           (unsigned long long)b->from);
    }
    if (b->last_key.n) {
        if (!a->first_key.n && buf_copy(&a->first_key, buf_bytes(&b->first_key), err)) return -1;
        if (buf_copy(&a->last_key, buf_bytes(&b->last_key), err)) return -1;
    }
    a->to = b->to;
    stretch_free(b);
    return 0;
}

static int insert(struct stretches *s, size_t at, const struct stretch *x, struct err *err) {
    if (grow_array(&s->all, s->n, sizeof *s->all, "block ranges", err)) return -1;
    memmove(s->all + at + 1, s->all + at, (s->n - at) * sizeof *x);
    s->all[at] = *x;
    s->n++;
    return 0;
}

static void drop(struct stretches *s, size_t at) {
    s->n--;
    memmove(s->all + at, s->all + at + 1, (s->n - at) * sizeof *s->all);
}

/* Takes *x over, joining it with its neighbours where they are there already. */
static int add(struct stretches *s, const char *path, struct stretch *x, const struct hfile_disorder_sink *disorder,
               struct err *err) {
    size_t at = s->n;
    while (at && s->all[at - 1].from > x->from) at--;
    if (insert(s, at, x, err)) return -1;
    *x = (struct stretch){0};
    struct stretch *all = s->all;
    if (at + 1 < s->n && all[at].to == all[at + 1].from) {
        if (join(path, &all[at], &all[at + 1], disorder, err)) return -1;
        drop(s, at + 1);
    }
    if (at && all[at - 1].to == all[at].from) {
        if (join(path, &all[at - 1], &all[at], disorder, err)) return -1;
        drop(s, at);
    }
    return 0;
}

int stretches_note(struct stretches *s, const char *path, const struct source *scan, uint64_t number,
                   const struct hfile_disorder_sink *disorder, struct err *err) {
    struct stretch x = {.from = number, .to = number + 1};
    struct bytes first, last;
    hfile_scan_bounds(scan, &first, &last);
    int rc = buf_copy(&x.first_key, first, err) || buf_copy(&x.last_key, last, err) ? -1 : 0;
    if (!rc) rc = add(s, path, &x, disorder, err);
    stretch_free(&x);
    return rc;
}

bool stretches_whole(const struct stretches *s, uint64_t count) {
    if (!count) return s->n == 0;
    return s->n == 1 && s->all[0].from == 0 && s->all[0].to == count;
}

void stretches_free(struct stretches *s) {
    for (size_t i = 0; i < s->n; i++) stretch_free(&s->all[i]);
    free(s->all);
    *s = (struct stretches){0};
}
