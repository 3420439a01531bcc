#include "hfile/tag_dictionary.h"

#include "base/bytes.h"
#include "base/wire.h"

#include <xxhash.h>

enum { TAG_IS_NEW = 0xff };

static void unlink_entry(struct tag_dictionary *d, uint8_t i) {
    if (i == d->newest)
        d->newest = d->older[i];
    else
        d->older[d->newer[i]] = d->older[i];
    if (i == d->oldest)
        d->oldest = d->newer[i];
    else
        d->newer[d->older[i]] = d->newer[i];
}

static void make_newest(struct tag_dictionary *d, uint8_t i) {
    d->older[i] = d->newest;
    d->newer[d->newest] = i;
    d->newest = i;
}

static void use(struct tag_dictionary *d, uint8_t i) {
    if (i == d->newest) return;
    unlink_entry(d, i);
    make_newest(d, i);
}

static uint32_t hash_of(struct bytes tag) {
    return (uint32_t)XXH3_64bits(tag.p, tag.n);
}

static void add(struct tag_dictionary *d, struct bytes tag, uint32_t hash) {
    if (!tag.n) return;
    uint8_t i = d->n < TAG_DICTIONARY_ENTRIES ? (uint8_t)d->n++ : d->oldest;
    if (d->n == 1)
        d->newest = d->oldest = i;
    else if (i == d->oldest)
        use(d, i);
    else
        make_newest(d, i);
    d->tags[i] = tag;
    d->hashes[i] = hash;
}

/* Its index, or -1. */
static int find(const struct tag_dictionary *d, struct bytes tag, uint32_t hash) {
    for (unsigned i = 0; i < d->n; i++)
        if (d->hashes[i] == hash && bytes_eq(d->tags[i], tag)) return (int)i;
    return -1;
}

uint8_t *tag_dictionary_put(struct tag_dictionary *d, struct bytes tags, uint8_t *p) {
    while (tags.n >= 2) {
        struct bytes tag = bytes_of(tags.p + 2, be16(tags.p));
        if (tag.n > tags.n - 2) tag.n = tags.n - 2;
        tags = bytes_of(tag.p + tag.n, tags.n - 2 - tag.n);
        uint32_t hash = hash_of(tag);
        int i = find(d, tag, hash);
        if (i >= 0) {
            use(d, (uint8_t)i);
            p = put_be16(p, (uint16_t)i);
            continue;
        }
        add(d, tag, hash);
        *p++ = TAG_IS_NEW;
        p += pb_varint_put(p, tag.n);
        if (tag.n) memcpy(p, tag.p, tag.n);
        p += tag.n;
    }
    return p;
}

static const char *take_new(struct tag_dictionary *d, struct bytes *in, struct bytes *tag) {
    uint64_t n;
    if (!pb_varint_take(in, &n) || n > in->n) return "a tag reaches beyond the block";
    *tag = bytes_of(in->p, (size_t)n);
    *in = bytes_of(in->p + n, in->n - (size_t)n);
    add(d, *tag, 0); /* found by index only */
    return NULL;
}

static const char *take_old(struct tag_dictionary *d, uint8_t high, struct bytes *in, struct bytes *tag) {
    if (!in->n) return "a tag reaches beyond the block";
    unsigned i = (unsigned)high << 8 | in->p[0];
    *in = bytes_of(in->p + 1, in->n - 1);
    if (i >= d->n) return "a tag names an entry that its dictionary does not have";
    *tag = d->tags[i];
    use(d, (uint8_t)i);
    return NULL;
}

const char *tag_dictionary_take(struct tag_dictionary *d, struct bytes *in, uint8_t *p, size_t n) {
    while (n) {
        struct bytes tag;
        if (!in->n) return "its tags reach beyond the block";
        uint8_t first = in->p[0];
        *in = bytes_of(in->p + 1, in->n - 1);
        const char *fault = first == TAG_IS_NEW ? take_new(d, in, &tag) : take_old(d, first, in, &tag);
        if (fault) return fault;
        if (n < 2 || tag.n > n - 2) return "its tags are longer than they should be";
        p = put_be16(p, (uint16_t)tag.n);
        if (tag.n) memcpy(p, tag.p, tag.n);
        p += tag.n;
        n -= 2 + tag.n;
    }
    return NULL;
}
