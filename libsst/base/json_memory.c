/* Allocation hooks of the JSON library that keep count of failures. Hooks get no argument, so the count is the one variable of
 * the process in this tree: whichever thread loses a member of whichever document, what the process publishes is in doubt. */
#include "base/json_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_ulong failed_allocations;

void *json_memory_alloc(size_t n) {
    void *p = malloc(n);
    if (!p) atomic_fetch_add(&failed_allocations, 1);
    return p;
}

void json_memory_watch(void) {
    json_set_alloc_funcs(json_memory_alloc, free);
}

int json_memory_check(struct err *err) {
    return atomic_load(&failed_allocations) ? err_set(err, ERR_LIMIT, "out of memory in a JSON document") : 0;
}

char *json_memory_dump(json_t *j, size_t flags, const char *what, struct err *err) {
    char *text = j ? json_dumps(j, flags) : NULL;
    json_decref(j);
    if (text && !json_memory_check(err)) return text;
    free(text);
    err_nomem(err, 0, what);
    return NULL;
}
