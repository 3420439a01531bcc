/* Which blocks are read where a part of the inputs is to do. Bytes of text are numbered in blocks of one length, of HFiles the
 * data blocks are; of every `of` blocks that follow each other one is taken, by a hash of where they stand: the same ones in each
 * run. What begins in a block belongs to it, so each record has the same chance of 1 / of. */
#ifndef ENGINE_BLOCK_CHOICE_H
#define ENGINE_BLOCK_CHOICE_H

#include "base/bytes.h"
#include "base/hash.h"

struct block_choice {
    uint32_t of; /* 0: everything is read */
    uint32_t block_bytes;
    uint64_t first;        /* text: the number of this input's first block */
    uint64_t *data_blocks; /* HFiles: how many there were in those before; counted on. NULL: from 0 */
};

/* The first chosen block from this one on. */
static inline uint64_t block_choice_number(const struct block_choice *c, uint64_t from) {
    uint64_t group = from / c->of, chosen = group * c->of + splitmix_at(0, group) % c->of;
    return chosen >= from ? chosen : (group + 1) * c->of + splitmix_at(0, group + 1) % c->of;
}

/* The offset in this input of the first chosen block that does not begin below `from`, a multiple of block_bytes. */
static inline uint64_t block_choice_next(const struct block_choice *c, uint64_t from) {
    return (block_choice_number(c, c->first + from / c->block_bytes) - c->first) * c->block_bytes;
}

/* How many blocks an input of so many bytes has. */
static inline uint64_t block_choice_count(const struct block_choice *c, uint64_t bytes) {
    return c->of ? bytes / c->block_bytes + (bytes % c->block_bytes > 0) : 0;
}

#endif
