#include "cmd/split/simulate/split_rule.h"

int64_t split_rule_size(const struct sim_region_rules *r, double share) {
    double rate = ((double)(float)share - 0.5) * r->max_file_jitter;
    int64_t most = (int64_t)r->max_file_bytes, jitter = (int64_t)((double)most * rate);
    return rate > 0 && jitter > INT64_MAX - most ? INT64_MAX : most + jitter;
}

/* Java's product wraps. */
static int64_t cubed(uint64_t initial, uint32_t regions) {
    return (int64_t)(initial * regions * regions * regions);
}

static int64_t limit(const struct sim_region_rules *r, int64_t size, uint32_t regions) {
    switch (r->split_policy) {
    case SIM_SPLIT_STEPPING: return regions == 1 ? (int64_t)r->initial_split_bytes : size;
    case SIM_SPLIT_INCREASING:
    case SIM_SPLIT_KEY_PREFIX:
    case SIM_SPLIT_DELIMITED_PREFIX: break;
    case SIM_SPLIT_CONSTANT_SIZE:
    case SIM_SPLIT_DISABLED: return size;
    }
    int64_t growing = regions && regions <= 100 ? cubed(r->initial_split_bytes, regions) : size;
    return growing < size ? growing : size;
}

bool split_rule_applies(const struct sim_region_rules *r, int64_t size, uint32_t regions, const uint64_t *bytes, uint32_t n) {
    if (r->split_policy == SIM_SPLIT_DISABLED) return false;
    int64_t most = limit(r, size, regions);
    uint64_t sum = 0;
    bool one = false;
    for (uint32_t i = 0; i < n; i++) {
        sum += bytes[i];
        one |= (int64_t)bytes[i] > most;
    }
    return r->split_overall ? (int64_t)sum > most : one;
}

size_t split_rule_store(const uint64_t *bytes, const bool *has_point, size_t n) {
    size_t best = SIZE_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!has_point[i] || bytes[i] <= most) continue;
        most = bytes[i];
        best = i;
    }
    return best;
}

struct bytes split_rule_row(const struct sim_region_rules *r, struct bytes middle) {
    if (r->split_policy == SIM_SPLIT_KEY_PREFIX && r->prefix_bytes && r->prefix_bytes < middle.n)
        return bytes_of(middle.p, r->prefix_bytes);
    if (r->split_policy != SIM_SPLIT_DELIMITED_PREFIX || !r->delimiter || !middle.n) return middle;
    const uint8_t *at = memmem(middle.p, middle.n, r->delimiter, strlen(r->delimiter));
    return at ? bytes_of(middle.p, (size_t)(at - middle.p)) : middle;
}
