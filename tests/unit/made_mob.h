/* A table with MOB directories of our own, and its resolver. */
#ifndef TESTS_UNIT_MADE_MOB_H
#define TESTS_UNIT_MADE_MOB_H

#include "metadata_files.h"

#include "formats/hbase/mob.h"

/* A table n:t whose only family is mob, with directories. */
struct made {
    struct hbase_family family;
    struct mob_directory directories[4];
    struct store_files files;
};

static inline void make(struct made *m) {
    *m = (struct made){.family = {.name = (char *)"mob", .is_mob = true}};
    m->files.table = (struct hbase_table){.ns = (char *)"n", .name = (char *)"t", .families = &m->family, .n_families = 1};
    m->files.mob = m->directories;
}

static inline void add_directory(struct made *m, const char *path, const char *ns, const char *table) {
    m->directories[m->files.n_mob++] =
        (struct mob_directory){.path = (char *)(uintptr_t)path, .ns = (char *)(uintptr_t)ns, .table = (char *)(uintptr_t)table};
}

static inline struct mob_resolver *open_resolver(const struct made *m, unsigned max_files, size_t memory_bytes) {
    struct err err = {0};
    struct mob_opts o = {.max_files = max_files, .memory_bytes = memory_bytes};
    struct mob_resolver *r = mob_open(&m->files, &o, &err);
    if (!r) fail_msg("%s", err.text);
    return r;
}

#endif
