#include "rules/file_facts.h"

#include "rules/rules.h"

int file_facts_age_cmp(const struct file_facts *a, const struct file_facts *b) {
    if (a->max_seq != b->max_seq) return a->max_seq < b->max_seq ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->bulk_ms != b->bulk_ms) return a->bulk_ms < b->bulk_ms ? -1 : 1;
    return bytes_cmp(a->name, b->name);
}

size_t file_facts_expire(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                         bool *dropped) {
    int64_t oldest_ms = family->min_versions ? INT64_MIN : rules_oldest_ms(family, now_ms);
    size_t n_dropped = 0;
    for (size_t i = 0; i < n; i++) {
        dropped[i] = i + 1 < n && files[i].has_cells && files[i].ts_max_ms < oldest_ms;
        n_dropped += dropped[i];
    }
    return n_dropped;
}

void file_facts_leave_out(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                          bool *dropped) {
    int64_t oldest_ms = family->min_versions ? INT64_MIN : rules_oldest_ms(family, now_ms);
    for (size_t i = 0; i < n; i++) dropped[i] = dropped[i] || (files[i].has_cells && files[i].ts_max_ms < oldest_ms);
}

uint64_t file_facts_old_seq(const struct file_facts *f, int64_t now_ms, int64_t keep_ms) {
    int64_t oldest_ms, made_ms = f->made_ms;
    if (!keep_ms || __builtin_sub_overflow(now_ms, keep_ms, &oldest_ms)) return 0;
    if (f->created_ms > made_ms && f->created_ms <= now_ms) made_ms = f->created_ms; /* the time of change is a packer's */
    return made_ms < oldest_ms && f->max_mvcc <= INT64_MAX ? f->max_mvcc : 0;
}

int64_t file_facts_earliest_put(const struct file_facts *files, size_t n, const bool *dropped) {
    int64_t earliest_ms = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!files[i].has_cells || (dropped && dropped[i])) continue;
        if (files[i].earliest_put_ms < earliest_ms) earliest_ms = files[i].earliest_put_ms;
    }
    return earliest_ms;
}
