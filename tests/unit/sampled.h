/* Loops over every byte of a file: whole in a plain build, and sampled under a sanitizer, where a round costs five to ten times
 * as much so that one place in five is looked at. OBKV_STRESS=1 runs them whole. */
#ifndef OBKV_TESTS_UNIT_SAMPLED_H
#define OBKV_TESTS_UNIT_SAMPLED_H

#include <stddef.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
enum { SAMPLED_FEWER = 5 };
#else
enum { SAMPLED_FEWER = 1 };
#endif

static inline size_t sampled_fewer(void) {
    const char *whole = getenv("OBKV_STRESS");
    return whole ? 1 : SAMPLED_FEWER;
}

/* Returns the step of a loop whose step is `step` in a plain build. */
static inline size_t sampled_step(size_t step) {
    return step * sampled_fewer();
}

/* Returns how many of `rounds` random rounds to run: one at least. */
static inline size_t sampled_rounds(size_t rounds) {
    size_t few = rounds / sampled_fewer();
    return few ? few : 1;
}

#endif
