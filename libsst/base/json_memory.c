/* Allocation hooks of the JSON library that keep count of failures. Hooks get no argument, so the count and the reserve are the
 * only variables of the process in this tree: whichever thread loses a member of whichever document, what the process publishes
 * is in doubt. The library is not sound after each failure (jansson 2.14 corrupts the heap in some), so the reserve serves what
 * malloc refuses: the run ends with an error anyway, and until then nothing crashes. */
#include "base/json_memory.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { RESERVE_BYTES = 1 << 20 }; /* not touched unless it is needed */

static atomic_ulong failed_allocations;
static atomic_size_t reserve_used;
static _Alignas(max_align_t) uint8_t reserve[RESERVE_BYTES];

static void *take_reserve(size_t n) {
    const size_t unit = _Alignof(max_align_t), rounded = n <= RESERVE_BYTES ? (n + unit - 1) / unit * unit : RESERVE_BYTES + 1;
    size_t at = atomic_load(&reserve_used);
    do {
        if (rounded > RESERVE_BYTES - at) return NULL;
    } while (!atomic_compare_exchange_weak(&reserve_used, &at, at + rounded));
    return reserve + at;
}

void *json_memory_alloc(size_t n) {
    void *p = malloc(n);
    if (p) return p;
    atomic_fetch_add(&failed_allocations, 1);
    return take_reserve(n);
}

/* What came of the reserve stays there. */
void json_memory_free(void *p) {
    if ((uintptr_t)p - (uintptr_t)reserve >= RESERVE_BYTES) free(p);
}

void json_memory_watch(void) {
    json_set_alloc_funcs(json_memory_alloc, json_memory_free);
}

int json_memory_check(struct err *err) {
    return atomic_load(&failed_allocations) ? err_set(err, ERR_LIMIT, "out of memory in a JSON document") : 0;
}

char *json_memory_dump(json_t *j, size_t flags, const char *what, struct err *err) {
    char *text = j ? json_dumps(j, flags) : NULL;
    json_decref(j);
    if (text && !json_memory_check(err)) return text;
    json_memory_free(text);
    err_nomem(err, 0, what);
    return NULL;
}
