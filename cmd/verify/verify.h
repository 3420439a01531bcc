/* The sub-commands of obkv-verify. Each returns 0 or -1 with err; *code is the exit code of a run that went through. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"

#include <malloc.h>

/* Options of its commands. */
struct verify_options {
    uint64_t limit;     /* of lines or cells printed; 0 = not given */
    const char *values; /* how those that differ are shown; NULL: as text */
    bool quick, skip_reused, skip_mob, ignore_timestamps;
    struct {
        bool ignore_deleted, compacted, trust_manifest;
        struct opt_list side[2]; /* --a and --b, as given */
    } diff;
    struct {
        bool raw, plain;
    } dump;
    struct {
        bool blocks, index, headers, stats, codecs;
    } info;
    uint64_t top;
    bool strong, delta;
    const char *fail_above; /* skew; NULL: not given */
    const char *fail_on;    /* check; NULL: any finding */
    struct opt_list partitions;
};
static inline const struct verify_options *verify_options(const struct options *o) {
    return o->own;
}

int verify_account(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_check(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_diff(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_dump(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_hashtable(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_info(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_page(struct environment *env, struct intake *intake, int *code, struct err *err);
int verify_target(struct environment *env, struct intake *intake, int *code, struct err *err); /* verify_database.c */
int verify_skew(struct environment *env, struct intake *intake, int *code, struct err *err);

/* Limits the arenas of malloc, before threads begin. Every arena keeps what its threads gave back: too much where there is little
 * memory. */
static inline void verify_share_heap(const struct environment *env) {
    enum { LITTLE = 256 << 20 };
    if (env->job.memory_bytes < LITTLE) mallopt(M_ARENA_MAX, 1);
}

/* Findings that are printed unless --limit says otherwise: as lines that programs read, and as a table. */
enum { VERIFY_LINES = 100, VERIFY_TABLE_LINES = 10 };
/* Returns how many differences diff and target print in a table. */
static inline uint64_t verify_table_lines_most(const struct options *o) {
    const uint64_t given = verify_options(o)->limit;
    return given ? given : VERIFY_TABLE_LINES;
}
/* Returns how many they report. */
static inline uint64_t verify_differences_most(const struct environment *env) {
    const uint64_t given = verify_options(&env->o)->limit;
    return given ? given : environment_documents(env) ? VERIFY_LINES : VERIFY_TABLE_LINES;
}

#endif
