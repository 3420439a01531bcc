/* Timestamps that come in falling order, as those of one column do: kept as differences, in blocks of 32 with the first one of
 * each in full. One to ten bytes and a half for each distinct timestamp, mostly less than three. */
#ifndef RULES_STAMP_RUN_H
#define RULES_STAMP_RUN_H

#include "base/buf.h"

/* Zero-initialise. */
struct stamp_run {
    struct buf firsts; /* of the blocks: struct stamp_block */
    struct buf steps;  /* varints: how far each of the others lies below the one before */
    uint64_t n;
    int64_t last_ms;
};

/* Can it be added: is it not above the last one? */
bool stamp_run_takes(const struct stamp_run *r, int64_t ts_ms);
/* 0, or -1 with ERR_LIMIT. Adding the last one again changes nothing. */
int stamp_run_add(struct stamp_run *r, int64_t ts_ms, struct err *err);
bool stamp_run_has(const struct stamp_run *r, int64_t ts_ms);
/* What it takes of memory; and at most, once one more is added. */
size_t stamp_run_bytes(const struct stamp_run *r);
size_t stamp_run_grown(const struct stamp_run *r);
void stamp_run_clear(struct stamp_run *r);
void stamp_run_free(struct stamp_run *r);

#endif
