/* A heap hands out its items in ascending order, whatever went in and however it went in. */
#include "base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 64, ROUNDS = 500 };

static uint32_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* arg says which way is up. */
static bool before(const void *a, const void *b, const void *arg) {
    int x = **(int *const *)a, y = **(int *const *)b;
    return *(const bool *)arg ? x > y : x < y;
}

static void pop_in_order(int **heap, size_t n, const bool *down) {
    const int *last = NULL;
    for (size_t left = n; left;) {
        int *x;
        heap_pop(heap, left--, sizeof x, &x, before, down);
        if (last) assert_false(before(&x, &last, down));
        last = x;
    }
}

static void pushed_or_made(void **state) {
    uint64_t seed = 11;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int value[MOST], *heap[MOST];
        size_t n = next(&seed) % MOST, in = 0;
        bool down = round & 1;
        for (size_t i = 0; i < n; i++) {
            value[i] = (int)(next(&seed) % 40);
            if (round & 2) {
                int *x = &value[i];
                heap_push(heap, in++, sizeof x, &x, before, &down);
            } else
                heap[i] = &value[i];
        }
        if (!(round & 2)) heap_make(heap, n, sizeof(int *), before, &down);
        pop_in_order(heap, n, &down);
    }
}

/* The first one moves back, again and again: always the least of all is in front. */
static void first_moves_back(void **state) {
    int value[MOST], *heap[MOST];
    const bool down = false;
    uint64_t seed = 5;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        value[i] = (int)(next(&seed) % 9);
        int *x = &value[i];
        heap_push(heap, n++, sizeof x, &x, before, &down);
    }
    for (unsigned step = 0; step < ROUNDS; step++) {
        for (size_t i = 0; i < n; i++) assert_false(before(&heap[i], &heap[0], &down));
        *heap[0] += (int)(next(&seed) % 3);
        heap_sink(heap, n, sizeof(int *), 0, before, &down);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pushed_or_made), cmocka_unit_test(first_moves_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
