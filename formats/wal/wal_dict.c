/* The dictionaries of a compressed log, as its reader needs them. Entries are found by index; the list by use says which index a
 * full dictionary gives away. Writer and reader run through the same steps, so each byte string stands in the log once. */
#include "formats/wal/wal.h"

#include <stdlib.h>

enum { NONE = -1, ENTRY_OVERHEAD = 48 /* the entry itself and what malloc adds */ };

void wal_dict_init(struct wal_dict *d, int32_t most) {
    *d = (struct wal_dict){.most = most, .newest = NONE, .oldest = NONE};
}

static void unlink_entry(struct wal_dict *d, int32_t i) {
    struct wal_dict_entry *e = &d->entries[i];
    if (e->newer != NONE) d->entries[e->newer].older = e->older;
    if (e->older != NONE) d->entries[e->older].newer = e->newer;
    if (d->newest == i) d->newest = e->older;
    if (d->oldest == i) d->oldest = e->newer;
}

static void put_first(struct wal_dict *d, int32_t i) {
    struct wal_dict_entry *e = &d->entries[i];
    e->newer = NONE;
    e->older = d->newest;
    if (d->newest != NONE) d->entries[d->newest].newer = i;
    d->newest = i;
    if (d->oldest == NONE) d->oldest = i;
}

static int charge(size_t *budget, size_t bytes, struct err *err) {
    if (bytes > *budget)
        return err_set(err, ERR_LIMIT, "the dictionaries of the log need more memory than there is: give more --memory");
    *budget -= bytes;
    return 0;
}

static int set_bytes(struct wal_dict_entry *e, struct bytes b, size_t *budget, struct err *err) {
    if (b.n > e->room) {
        if (charge(budget, b.n - e->room, err)) return -1;
        uint8_t *p = realloc(e->p, b.n);
        if (!p) return err_nomem(err, b.n, "a dictionary of the log");
        e->p = p;
        e->room = (uint32_t)b.n;
    }
    memcpy(e->p, b.p, b.n);
    e->n = (uint32_t)b.n;
    return 0;
}

int wal_dict_add(struct wal_dict *d, struct bytes b, size_t *budget, struct err *err) {
    int32_t i = d->n < d->most ? d->n : d->oldest;
    if (!b.n) return 0;
    if (i == d->n) {
        if (charge(budget, ENTRY_OVERHEAD, err)) return -1;
        if (grow_array(&d->entries, (size_t)d->n, sizeof *d->entries, "a dictionary of the log", err)) return -1;
        d->entries[i] = (struct wal_dict_entry){.older = NONE, .newer = NONE};
    }
    if (set_bytes(&d->entries[i], b, budget, err)) return -1;
    if (i == d->n)
        d->n++;
    else
        unlink_entry(d, i);
    put_first(d, i);
    return 0;
}

bool wal_dict_get(struct wal_dict *d, unsigned index, struct bytes *out) {
    if (index >= (unsigned)d->n) return false;
    int32_t i = (int32_t)index;
    if (d->newest != i) {
        unlink_entry(d, i);
        put_first(d, i);
    }
    *out = bytes_of(d->entries[i].p, d->entries[i].n);
    return true;
}

void wal_dict_free(struct wal_dict *d) {
    for (int32_t i = 0; i < d->n; i++) free(d->entries[i].p);
    free(d->entries);
    *d = (struct wal_dict){0};
}
