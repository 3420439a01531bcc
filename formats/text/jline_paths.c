/* Paths into JSON, merged into one tree of steps, so that a line is walked once however many values are wanted of it. Steps are
 * found by hash of parent and key: wide objects cost no more than narrow ones. */

#include "base/buf.h"
#include "base/hash.h"
#include "formats/text/jline_paths.h"

#include <stdlib.h>

enum { HASH_SEED = 0x6a73 };

uint64_t jline_key_hash(struct bytes key) {
    return murmur64a(key.p, key.n, HASH_SEED);
}

static uint64_t index_hash(uint32_t index) {
    return splitmix_mix(index + UINT64_C(1));
}

static uint32_t place_of(const struct jline_paths *p, uint32_t parent, uint64_t hash) {
    return (uint32_t)splitmix_mix(hash + parent) & p->table_mask;
}

static uint32_t find_node(const struct jline_paths *p, uint32_t parent, struct bytes key, uint64_t hash) {
    if (!p->table) return JLINE_NONE;
    for (uint32_t i = place_of(p, parent, hash); p->table[i]; i = (i + 1) & p->table_mask) {
        const struct jline_node *n = &p->nodes[p->table[i] - 1];
        if (n->parent != parent || n->hash != hash || !n->key.p != !key.p) continue;
        if (!key.p || bytes_eq(n->key, key)) return p->table[i] - 1;
    }
    return JLINE_NONE;
}

uint32_t jline_step(const struct jline_paths *p, uint32_t parent, struct bytes key, uint64_t hash) {
    return parent == JLINE_NONE ? JLINE_NONE : find_node(p, parent, bytes_of(key.p ? key.p : (const uint8_t *)"", key.n), hash);
}

uint32_t jline_step_index(const struct jline_paths *p, uint32_t parent, uint32_t index) {
    return parent == JLINE_NONE ? JLINE_NONE : find_node(p, parent, bytes_of(NULL, 0), index_hash(index));
}

static void index_node(struct jline_paths *p, uint32_t node) {
    uint32_t i = place_of(p, p->nodes[node].parent, p->nodes[node].hash);
    while (p->table[i]) i = (i + 1) & p->table_mask;
    p->table[i] = node + 1;
}

/* Grows the table, of which at most half is used. */
static int grow_table(struct jline_paths *p, struct err *err) {
    uint32_t size = p->table ? (p->table_mask + 1) * 2 : 64;
    if (p->table && p->n_nodes * 2 <= p->table_mask) return 0;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table) return err_nomem(err, size * sizeof *table, "paths");
    free(p->table);
    p->table = table;
    p->table_mask = size - 1;
    for (uint32_t i = 1; i < p->n_nodes; i++) index_node(p, i);
    return 0;
}

static int add_node(struct jline_paths *p, uint32_t parent, struct bytes key, uint64_t hash, uint32_t *node, struct err *err) {
    if (grow_array(&p->nodes, p->n_nodes, sizeof *p->nodes, "paths", err)) return -1;
    if (p->n_nodes && grow_table(p, err)) return -1;
    uint8_t *copy = NULL;
    if (key.p && !(copy = malloc(key.n + 1))) return err_nomem(err, key.n, "paths");
    if (key.n) memcpy(copy, key.p, key.n);
    *node = p->n_nodes++;
    p->nodes[*node] = (struct jline_node){.parent = parent, .slot = JLINE_NONE, .hash = hash, .key = bytes_of(copy, key.n)};
    if (*node) index_node(p, *node);
    return 0;
}

static int find_or_add_node(struct jline_paths *p, uint32_t *node, struct bytes key, uint64_t hash, struct err *err) {
    uint32_t next = find_node(p, *node, key, hash), parent = *node;
    if (next == JLINE_NONE && add_node(p, parent, key, hash, &next, err)) return -1;
    *node = next;
    return 0;
}

/* ['any key'] from its bracket on: the key, a doubled quote made single, into out; what it takes of the path. */
static size_t quoted_key(struct bytes path, uint8_t *out, size_t *n) {
    uint8_t quote = path.p[1];
    size_t i = 2;
    for (*n = 0; i < path.n; i++) {
        if (path.p[i] == quote && (i + 1 >= path.n || path.p[i + 1] != quote)) break;
        i += path.p[i] == quote;
        out[(*n)++] = path.p[i];
    }
    return i + 2 < path.n ? i + 2 : path.n;
}

/* The steps after the $; expr_lex.c has seen that they are well formed. */
static int go_steps(struct jline_paths *p, struct bytes path, uint8_t *scratch, uint32_t *node, struct err *err) {
    while (path.n) {
        size_t used = 1, n = 0;
        struct bytes key = {0};
        uint32_t index = 0;
        if (path.p[0] == '.') {
            while (used < path.n && path.p[used] != '.' && path.p[used] != '[') used++;
            key = bytes_of(path.p + 1, used - 1);
        } else if (path.n > 1 && (path.p[1] == '\'' || path.p[1] == '"')) {
            used = quoted_key(path, scratch, &n);
            key = bytes_of(scratch, n);
        } else {
            for (; used < path.n && path.p[used] != ']'; used++) index = index * 10 + (path.p[used] - (uint32_t)'0');
            used += used < path.n;
        }
        if (find_or_add_node(p, node, key, key.p ? jline_key_hash(key) : index_hash(index), err)) return -1;
        path = bytes_of(path.p + used, path.n - used);
    }
    return 0;
}

int jline_paths_add(struct jline_paths *p, struct bytes path, uint32_t *slot, struct err *err) {
    uint32_t node = 0;
    bool bare = !path.n || path.p[0] != '$' || (path.n > 1 && path.p[1] != '.' && path.p[1] != '[');
    if (!p->n_nodes && add_node(p, JLINE_NONE, bytes_of(NULL, 0), 0, &node, err)) return -1;
    if (!p->table && grow_table(p, err)) return -1;
    uint8_t *scratch = malloc(path.n + 1);
    if (!scratch) return err_nomem(err, path.n, "paths");
    int rc = bare ? find_or_add_node(p, &node, path, jline_key_hash(path), err)
                  : go_steps(p, bytes_of(path.p + 1, path.n - 1), scratch, &node, err);
    free(scratch);
    if (rc) return -1;
    if (p->nodes[node].slot == JLINE_NONE) p->nodes[node].slot = p->n_slots++;
    *slot = p->nodes[node].slot;
    return 0;
}

void jline_paths_free(struct jline_paths *p) {
    for (uint32_t i = 0; i < p->n_nodes; i++) free((uint8_t *)p->nodes[i].key.p);
    free(p->nodes);
    free(p->table);
    *p = (struct jline_paths){0};
}
