/* Judges the files of a base. A file is linked where it was written by us, has been through the same rules, no cell of it
 * drops by now (OBKV.NEXT_DROP_MS), its markers would stay, and no input has cells between its first and its last row. Any
 * other file is rewritten together with what is new. What the manifest says is compared with the file before its figures
 * are used. */
#include "engine/reusable_file.h"

#include "base/bytes.h"
#include "base/outfile.h"
#include "cell/keyvalue.h"
#include "engine/input_facts.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_scan.h"

#include <inttypes.h>

const char *reuse_word(enum reuse_verdict verdict) {
    static const char *const words[] = {
        [REUSE_TAKEN] = "linked",      [REUSE_FOREIGN] = "foreign file info", [REUSE_NO_RULES] = "not compacted",
        [REUSE_RULES] = "other rules", [REUSE_CLOCK] = "clock went back",     [REUSE_DROP_DUE] = "drop due",
        [REUSE_EXPIRED] = "expired",   [REUSE_MARKERS] = "delete markers",    [REUSE_NEW_CELLS] = "new cells"};
    return words[verdict];
}

static uint64_t number_of(const struct hfile *h, const char *key) {
    struct bytes v = hfile_find(h, key);
    return v.n == 8 ? be64(v.p) : v.n == 4 ? be32(v.p) : 0;
}

/* A file of ours has the average lengths of its keys and values, to the last whole byte, and the sum of its keys where it has
 * been through rules; so the bytes of its cells are known but for less than two a cell. Tags are two bytes more than their
 * length. */
static bool bytes_may_be(const struct hfile *h, uint64_t kv_bytes) {
    const uint64_t cells = hfile_info(h)->cells, tags = number_of(h, "hfile.MAX_TAGS_LEN"), keys = number_of(h, "OBKV.KEY_BYTES");
    const uint64_t least =
        cells * (8 + number_of(h, "hfile.AVG_VALUE_LEN")) + (keys ? keys : cells * number_of(h, "hfile.AVG_KEY_LEN"));
    const uint64_t more = (keys ? 1 : 2) * (cells - 1) + (tags ? cells * (2 + tags) : 0);
    return kv_bytes >= least && kv_bytes - least <= more;
}

/* The manifest's figures go into ledger and manifest of the new dataset: here they are compared with the file. */
static int check_entry(const struct hfile *h, const struct manifest_file *m, bool own, struct err *err) {
    const struct hfile_info *i = hfile_info(h);
    struct kv_key first, last;
    uint8_t digest[16];
    put_be64(put_be64(digest, m->tally.digest.hi), m->tally.digest.lo);
    bool same = i->cells == m->tally.cells && kv_key_parse(i->first_key, &first) && kv_key_parse(i->last_key, &last) &&
                bytes_eq(first.row, buf_bytes(&m->first_row)) && bytes_eq(last.row, buf_bytes(&m->last_row));
    struct bytes said = hfile_find(h, "OBKV.DIGEST");
    if (same && own && said.n == sizeof digest) same = !memcmp(said.p, digest, sizeof digest) && bytes_may_be(h, m->kv_bytes);
    return same ? 0
                : err_set(err, ERR_INPUT,
                          "%s is not the file that the manifest lists: cells, their bytes, digest, first or last row differ "
                          "(run obkv-verify check)",
                          i->path);
}

static bool same_rules(const struct reuse_env *env, const char *hash) {
    char hex[RULES_HASH_BYTES];
    rules_text_hash(&env->rules, env->kind, hex);
    return !strcmp(hash, hex);
}

/* Delete markers that rules have kept once: would they keep them again? With KEEP_DELETED_CELLS, unless one is older than every
 * Put of the partition. Under a purge delay, in minor compactions and with NEW_VERSION_BEHAVIOR that is not looked into. */
static bool markers_stay(const struct reuse_env *env, const struct manifest_file *m) {
    const struct family_rules *r = &env->rules;
    return env->kind == COMPACTION_MAJOR && !r->new_version_behavior && !r->purge_deletes_after_ms &&
           r->keep_deleted != KEEP_DELETED_FALSE && env->earliest_put_ms <= m->ts_min;
}

static enum reuse_verdict decide_reuse(const struct reuse_env *env, const struct base_file *f) {
    const struct file_rules *i = &f->info;
    if (!i->own) return REUSE_FOREIGN;
    if (!i->has_rules) return REUSE_NO_RULES;
    if (!same_rules(env, i->rules)) return REUSE_RULES;
    if (env->job->now_ms < env->base_now_ms) return REUSE_CLOCK;
    if (i->next_drop_ms <= env->job->now_ms) return REUSE_DROP_DUE;
    if (env->base_expired) return REUSE_EXPIRED;
    return i->deletes && !markers_stay(env, f->m) ? REUSE_MARKERS : REUSE_TAKEN;
}

int reuse_judge(const struct reuse_env *env, struct base_file *f, struct err *err) {
    struct hfile *h = hfile_open(f->in->path, env->block_limit, err);
    if (!h) return -1;
    file_rules_of(h, &f->info);
    int rc = old_seq_of(env->job, h, &f->old_seq, err);
    if (!rc) rc = check_entry(h, f->m, f->info.own, err);
    f->verdict = decide_reuse(env, f);
    hfile_close(h);
    return rc;
}

/* ---- new cells ---- */

int reuse_row_after(struct buf *out, struct bytes row, struct err *err) {
    return buf_copy(out, row, err) || buf_put_byte(out, 0, err) ? -1 : 0;
}

/* The cells of h in rows from the first to the last of m, both inclusive. */
static struct source *rows_of(const struct hfile *h, const struct manifest_file *m, struct buf *stop, struct err *err) {
    struct hfile_scan_opts o = {.start_row = buf_bytes(&m->first_row)};
    if (reuse_row_after(stop, buf_bytes(&m->last_row), err)) return NULL;
    o.stop_row = buf_bytes(stop);
    if (hfile_row_range(h, o.start_row, o.stop_row, &o.range, err)) return NULL;
    return hfile_scan_open(h, &o, err);
}

/* Returns whether h has cells in rows from the first to the last of m: 1, 0, -1. */
static int has_rows(const struct hfile *h, const struct manifest_file *m, struct buf *stop, struct err *err) {
    struct row_part part;
    struct source *scan = rows_of(h, m, stop, err);
    int more = scan ? source_next(scan, &part, err) : -1;
    source_close(scan);
    return more;
}

static bool overlap(const struct manifest_file *a, const struct manifest_file *b) {
    return bytes_cmp(buf_bytes(&a->first_row), buf_bytes(&b->last_row)) <= 0 &&
           bytes_cmp(buf_bytes(&b->first_row), buf_bytes(&a->last_row)) <= 0;
}

int reuse_mark_new_cells(const struct reuse_env *env, struct base_file *files, size_t n, const struct manifest_file *m,
                         const struct input *in, struct err *err) {
    struct hfile *h = NULL;
    struct buf stop = {0};
    int has = 0;
    for (size_t i = 0; has >= 0 && i < n; i++) {
        if (files[i].verdict != REUSE_TAKEN || !overlap(files[i].m, m)) continue;
        if (!h && !(h = hfile_open(in->path, env->block_limit, err))) has = -1;
        if (has >= 0) has = has_rows(h, files[i].m, &stop, err);
        if (has <= 0) continue;
        files[i].verdict = REUSE_NEW_CELLS;
        files[i].input = in->group;
    }
    hfile_close(h);
    buf_free(&stop);
    return has < 0 ? -1 : 0;
}

int reuse_mark_rows(const struct reuse_env *env, const struct base_file *f, struct block_marks *marks,
                    const struct manifest_file *m, const struct input *in, struct err *err) {
    struct buf stop = {0};
    if (!overlap(f->m, m)) return 0;
    struct hfile *h = hfile_open(in->path, env->block_limit, err);
    struct source *rows = h ? rows_of(h, f->m, &stop, err) : NULL;
    int rc = rows ? block_marks_rows(marks, rows, err) : -1;
    source_close(rows);
    hfile_close(h);
    buf_free(&stop);
    return rc;
}

/* ---- on request ---- */

int reuse_verify(const struct reuse_env *env, const struct base_file *f, struct err *err) {
    char hex[17];
    uint64_t kv_bytes = 0;
    struct tally t = {0};
    struct row_part part;
    struct hfile_scan_opts o = {.tally = &t};
    if (file_sum_of(f->in->path, hex, err)) return -1;
    if (strcmp(hex, f->m->checksum))
        return err_set(err, ERR_INPUT, "%s: file checksum %s, the manifest says %s", f->in->path, hex, f->m->checksum);
    struct hfile *h = hfile_open(f->in->path, env->block_limit, err);
    struct source *scan = h ? hfile_scan_open(h, &o, err) : NULL;
    int more = -1;
    while (scan && !stop_check(env->job->stop, err) && (more = source_next(scan, &part, err)) == 1) {
        kv_bytes += kv_part_size(&part);
        more = -1;
    }
    source_close(scan);
    hfile_close(h);
    if (more < 0) return -1;
    if (t.cells == f->m->tally.cells && kv_bytes == f->m->kv_bytes && digest_eq(t.digest, f->m->tally.digest)) return 0;
    return err_set(err, ERR_INPUT, "%s: %" PRIu64 " cells, their bytes or digest, are not what the manifest says (%" PRIu64 ")",
                   f->in->path, t.cells, f->m->tally.cells);
}
