/* Compares a manifest that was read back with the one that was written. A member that a library dropped or changed on the way
 * must not be published. Inputs, of which there may be very many, are not compared: nothing is proved by what is said of them. */
#include "dataset/manifest.h"

#include <string.h>

static bool same_tally(const struct tally *a, const struct tally *b) {
    return a->cells == b->cells && digest_eq(a->digest, b->digest);
}

static bool same_file(const struct manifest_file *a, const struct manifest_file *b) {
    return !strcmp(a->path, b->path) && a->family == b->family && a->partition == b->partition && a->number == b->number &&
           a->file_bytes == b->file_bytes && a->kv_bytes == b->kv_bytes && same_tally(&a->tally, &b->tally) &&
           a->ts_min == b->ts_min && a->ts_max == b->ts_max && !strcmp(a->checksum, b->checksum) &&
           bytes_eq(buf_bytes(&a->first_row), buf_bytes(&b->first_row)) &&
           bytes_eq(buf_bytes(&a->last_row), buf_bytes(&b->last_row));
}

static bool same_pack(const struct pack_made *a, const struct pack_made *b) {
    return !strcmp(a->path, b->path) && a->family == b->family && a->files == b->files && a->file_bytes == b->file_bytes &&
           a->data_bytes == b->data_bytes && a->kv_bytes == b->kv_bytes && a->index_at == b->index_at &&
           a->index_sum == b->index_sum && same_tally(&a->tally, &b->tally);
}

static bool same_packs(const struct manifest *a, const struct manifest *b) {
    if (a->n_packs != b->n_packs || b->n_files || a->n_pending != b->n_pending) return false;
    for (size_t i = 0; i < a->n_packs; i++)
        if (!same_pack(&a->packs[i], &b->packs[i])) return false;
    return true;
}

static bool same_files(const struct manifest *a, const struct manifest *b) {
    if (a->n_packs) return same_packs(a, b);
    if (a->n_files != b->n_files || a->n_pending != b->n_pending) return false;
    for (size_t i = 0; i < a->n_files; i++)
        if (!same_file(&a->files[i], &b->files[i])) return false;
    return true;
}

static bool same_ledger(const struct ledger *a, const struct ledger *b) {
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (!same_tally(&a->dropped[i], &b->dropped[i])) return false;
    return a->records_read == b->records_read && a->records_accepted == b->records_accepted &&
           a->records_rejected == b->records_rejected && a->records_skipped == b->records_skipped && same_tally(&a->in, &b->in) &&
           same_tally(&a->made, &b->made) && same_tally(&a->rejected, &b->rejected) &&
           same_tally(&a->not_selected, &b->not_selected);
}

static bool same_table(const struct table *a, const struct table *b) {
    if (a->n_families != b->n_families || a->partitioning.count != b->partitioning.count) return false;
    for (uint32_t i = 0; i < a->n_families; i++)
        if (strcmp(a->families[i].name, b->families[i].name) != 0) return false;
    return true;
}

const char *manifest_differs(const struct manifest *a, const struct manifest *b) {
    const size_t settings = json_object_size(a->settings), warnings = json_object_size(a->warnings);
    if (settings && !json_equal(a->settings, b->settings)) return "settings";
    if (warnings && !json_equal(a->warnings, b->warnings)) return "warnings";
    if (a->now_ms != b->now_ms || a->now_given != b->now_given || a->kind != b->kind) return "now_ms or kind";
    if (a->shard.number != b->shard.number || a->share.number != b->share.number) return "shard";
    if (!same_table(&a->table, &b->table)) return "table";
    if (!same_ledger(&a->ledger, &b->ledger)) return "ledger";
    return same_files(a, b) ? NULL : "files";
}
