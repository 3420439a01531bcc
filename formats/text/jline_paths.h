/* Paths into JSON, merged into one tree of steps, so that a line is walked once however many values are wanted of it. */
#ifndef FORMATS_TEXT_JLINE_PATHS_H
#define FORMATS_TEXT_JLINE_PATHS_H

#include "base/bytes.h"
#include "base/err.h"

#define JLINE_NONE UINT32_MAX

struct jline_node {
    uint32_t parent, slot; /* slot JLINE_NONE: on the way to others only */
    uint64_t hash;         /* of the step that leads here: a key, or an index */
    struct bytes key;      /* p == NULL: an index */
};

/* A tree of steps; node 0 is the line itself. */
struct jline_paths {
    struct jline_node *nodes;
    uint32_t n_nodes, n_slots;
    uint32_t *table; /* (parent, hash) to node + 1; its size is a power of two */
    uint32_t table_mask;
    bool closed; /* keys that no path names are faults, in objects that a path leads into */
};

/* `$`, `$.key[3]['any key']`, or a bare name, which is a key of the line's object. Equal paths have one slot. 0, -1: memory. */
int jline_paths_add(struct jline_paths *p, struct bytes path, uint32_t *slot, struct err *err);
void jline_paths_free(struct jline_paths *p);
uint64_t jline_key_hash(struct bytes key);
/* Returns where a step leads; JLINE_NONE: no path goes there. */
uint32_t jline_step(const struct jline_paths *p, uint32_t parent, struct bytes key, uint64_t hash);
uint32_t jline_step_index(const struct jline_paths *p, uint32_t parent, uint32_t index);

#endif
