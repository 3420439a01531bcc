#include "engine/block_choice.h"

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t scatter(uint64_t x) {
    uint64_t z = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t block_choice_number(const struct block_choice *c, uint64_t from) {
    uint64_t group = from / c->of, chosen = group * c->of + scatter(group) % c->of;
    return chosen >= from ? chosen : (group + 1) * c->of + scatter(group + 1) % c->of;
}

uint64_t block_choice_next(const struct block_choice *c, uint64_t from) {
    return (block_choice_number(c, c->first + from / c->block_bytes) - c->first) * c->block_bytes;
}
