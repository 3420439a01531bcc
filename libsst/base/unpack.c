/* Detects the compression by the first bytes and drives its decoder: feeds it, hands out its output, and distinguishes the end of
 * the stream from truncation and damage. */
#include "base/unpack.h"

#include "base/bytes.h"
#include "base/unpack_kind.h"
#include "base/unpack_pieces.h"

#include <stdlib.h>

struct magic {
    const struct unpack_ops *ops;
    const char *bytes;
    size_t n;
};

/* "BZh9" alone may be text: as much of the block or end-of-stream magic as follows must match too. */
static bool is_bzip2(struct bytes head) {
    if (head.n < 5 || memcmp(head.p, "BZh", 3) || head.p[3] < '1' || head.p[3] > '9') return false;
    size_t n = head.n < 10 ? head.n - 4 : 6;
    return !memcmp(head.p + 4, "1AY&SY", n) || !memcmp(head.p + 4, "\x17rE8P\x90", n);
}

/* pzstd puts a skippable frame before each frame; lz4 knows the same kind of frame, so the magic that follows them decides. */
static bool is_skippable(struct bytes head) {
    return head.n >= 4 && (le32(head.p) & 0xfffffff0) == 0x184d2a50;
}

uint64_t unpack_skippable_bytes(struct bytes head) {
    if (head.n < SKIPPABLE_HEADER_BYTES || !is_skippable(head)) return 0;
    return SKIPPABLE_HEADER_BYTES + (uint64_t)le32(head.p + 4);
}

static const struct unpack_ops *ops_of(struct bytes head) {
    static const struct magic magics[] = {
        {&unpack_gzip, "\x1f\x8b\x08", 3},
        {&unpack_xz, "\xfd\x37zXZ\0", 6},
        {&unpack_zstd, "\x28\xb5\x2f\xfd", 4},
        {&unpack_lz4, "\x04\x22\x4d\x18", 4},
    };
    if (is_bzip2(head)) return &unpack_bzip2;
    for (size_t i = 0; i < countof(magics); i++)
        if (head.n >= magics[i].n && !memcmp(head.p, magics[i].bytes, magics[i].n)) return magics[i].ops;
    return is_skippable(head) ? &unpack_zstd : NULL;
}

const char *unpack_kind(struct bytes head) {
    const struct unpack_ops *ops = ops_of(head);
    return ops ? ops->kind : NULL;
}

/* Returns the length of the ending. 0: the path has none of these endings, or nothing before it. */
static size_t ending_bytes(const char *path, const char *const *endings, size_t n_endings) {
    size_t n = strlen(path);
    for (size_t i = 0; i < n_endings; i++) {
        size_t k = strlen(endings[i]);
        if (n > k && !strcmp(path + n - k, endings[i])) return k;
    }
    return 0;
}

size_t unpack_plain_length(const char *path) {
    static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    return strlen(path) - ending_bytes(path, endings, countof(endings));
}

bool unpack_is_named(const char *path) {
    static const char *const others[] = {".tgz", ".tbz2", ".txz", ".tzst", ".bgz", ".zip", ".7z"};
    return path[unpack_plain_length(path)] || ending_bytes(path, others, countof(others));
}

const char *unpack_kind_behind(struct bytes head, const char *kind) {
    return ops_of(head) == &unpack_lz4 ? unpack_lz4.kind : kind;
}

struct unpack *unpack_open(const char *kind, struct bytes head, const struct unpack_from *from, struct err *err) {
    static const struct unpack_ops *const all[] = {&unpack_gzip, &unpack_xz, &unpack_zstd, &unpack_lz4, &unpack_bzip2};
    const struct unpack_ops *ops = NULL;
    for (size_t i = 0; i < countof(all); i++)
        if (all[i]->kind == kind) ops = all[i];
    if (!ops || head.n > UNPACK_INPUT_BYTES) {
        err_set(err, ERR_INTERNAL, "%s: not the head of %s data", from->path, kind);
        return NULL;
    }
    struct unpack *u = calloc(1, sizeof *u);
    if (!u) {
        err_nomem(err, sizeof *u, "decompression");
        return NULL;
    }
    u->ops = ops;
    u->from = *from;
    if (!(u->in = malloc(UNPACK_INPUT_BYTES))) {
        err_nomem(err, UNPACK_INPUT_BYTES, "decompression");
        goto fail;
    }
    u->capacity = UNPACK_INPUT_BYTES;
    memcpy(u->in, head.p, head.n);
    u->n = head.n;
    u->taken = from->passed + head.n;
    if (ops->open(u, err)) goto fail;
    return u;
fail:
    unpack_close(u);
    return NULL;
}

void unpack_use_threads(struct unpack *u, unsigned threads) {
    u->from.threads = threads;
}

/* Pieces are only looked for where somebody can help with them. */
static int begin(struct unpack *u, struct err *err) {
    u->has_begun = true;
    return unpack_pieces_threads(u) < 2 || (u->pieces = unpack_pieces_new(u, err)) ? 0 : -1;
}

ssize_t unpack_read(struct unpack *u, void *p, size_t n, struct err *err) {
    if (!u->has_begun && begin(u, err)) return -1;
    if (u->pieces) {
        ssize_t r = unpack_pieces_read(u->pieces, u, p, n, err);
        if (r || !unpack_pieces_leave(u->pieces)) return r;
        unpack_pieces_free(u->pieces);
        u->pieces = NULL;
    }
    return unpack_by_steps(u, p, n, err);
}

void unpack_close(struct unpack *u) {
    if (!u) return;
    unpack_pieces_free(u->pieces);
    if (u->state) u->ops->close(u);
    free(u->in);
    free(u);
}
