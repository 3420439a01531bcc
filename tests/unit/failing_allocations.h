/* Allocations that fail on purpose, in a test program that includes this: malloc, calloc, realloc and free are replaced. Each
 * allocation of an action fails once: the action says that memory is short, or does as if nothing were, and keeps nothing.
 * Sanitizers have allocators of their own: with them nothing fails, and the action runs once. */
#ifndef TESTS_UNIT_FAILING_ALLOCATIONS_H
#define TESTS_UNIT_FAILING_ALLOCATIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>

static struct {
    long countdown; /* the allocation that fails; 0: none */
    long held;      /* memory that is not freed */
} allocations;

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ALLOCATIONS_CANNOT_FAIL
#endif
#endif
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined ALLOCATIONS_CANNOT_FAIL
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t each);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

static void *allocation_counts(void *p) {
    allocations.held += p != NULL;
    return p;
}

static bool allocation_fails(void) {
    if (!allocations.countdown || --allocations.countdown) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n) {
    return allocation_fails() ? NULL : allocation_counts(__libc_malloc(n));
}

void *calloc(size_t n, size_t each) {
    return allocation_fails() ? NULL : allocation_counts(__libc_calloc(n, each));
}

void *realloc(void *p, size_t n) {
    if (!p) return malloc(n);
    return allocation_fails() ? NULL : __libc_realloc(p, n);
}

int posix_memalign(void **p, size_t align, size_t n) {
    return allocation_fails() || !(*p = allocation_counts(__libc_memalign(align, n))) ? ENOMEM : 0;
}

void free(void *p) {
    allocations.held -= p != NULL;
    __libc_free(p);
}
enum { ALLOCATIONS_FAIL = true };
#else
enum { ALLOCATIONS_FAIL = false };
#endif

/* An action gives a sum of its result, which failing allocations must not change; 0 and an error. */
typedef uint64_t (*allocating)(const void *arg, struct err *err);

/* JSON that could not be held may look like other JSON: the programs ask at their end whether it was so. The library then keeps
 * what it had allocated for a member that it could not add. */
static inline uint64_t act_once(allocating act, const void *arg, struct err *err) {
    struct err memory = {0};
    *err = (struct err){0};
    json_memory_forgive();
    const long held = allocations.held;
    uint64_t sum = act(arg, err);
    if (!json_memory_check(&memory)) return sum;
    if (err->code != ERR_LIMIT) *err = memory;
    allocations.held = held;
    return sum;
}

/* Returns how many allocations were made to fail. */
static inline long each_allocation_fails(const char *name, allocating act, const void *arg) {
    struct err err;
    json_memory_watch();
    const uint64_t want = act_once(act, arg, &err); /* what libraries allocate once and keep is there now */
    if (err.code) fail_msg("%s: undisturbed: %s", name, err.text);
    const long held = allocations.held;
    for (long n = 1; ALLOCATIONS_FAIL; n++) {
        allocations.countdown = n;
        uint64_t have = act_once(act, arg, &err);
        bool failed = !allocations.countdown;
        allocations.countdown = 0;
        if (err.code && (err.code != ERR_LIMIT || !err.text[0]))
            fail_msg("%s: allocation %ld: error %d: %s", name, n, (int)err.code, err.text);
        if (!err.code && have != want) fail_msg("%s: allocation %ld: no error, and another result", name, n);
        if (allocations.held != held) fail_msg("%s: allocation %ld: keeps %ld pieces", name, n, allocations.held - held);
        if (!failed) return n - 1;
    }
    return 0;
}

#endif
