#include "engine/block_choice.h"

#include "base/hash.h"

uint64_t block_choice_number(const struct block_choice *c, uint64_t from) {
    uint64_t group = from / c->of, chosen = group * c->of + splitmix_at(0, group) % c->of;
    return chosen >= from ? chosen : (group + 1) * c->of + splitmix_at(0, group + 1) % c->of;
}

uint64_t block_choice_next(const struct block_choice *c, uint64_t from) {
    return (block_choice_number(c, c->first + from / c->block_bytes) - c->first) * c->block_bytes;
}
