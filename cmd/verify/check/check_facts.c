/* Compares the metadata of a file with its cells: trailer, file info and manifest with sums. A difference is a finding; how bad
 * it is depends on whether HBase would miss data because of it. What HBase itself leaves stale, and reads without harm, is a
 * note. */
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "cmd/verify/check/check_facts.h"
#include "cmd/verify/check/check_file.h"
#include "codec/codec.h"
#include "engine/file_rules.h"
#include "hfile/bloom.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_keys.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct file_claims {
    const struct hfile *h;
    const struct hfile_info *info;
    struct check_findings *findings;
    bool exact;       /* of a dataset or one of its files: nothing may be stale */
    struct buf stale; /* "EARLIEST_PUT_TS 5 (of its cells: 7), …" */
};

static void report_wrong(const struct file_claims *t, const char *what, long long found, long long said) {
    check_findings_add(t->findings, FINDING_METADATA, t->info->path, "%s is %lld, the file info says %lld", what, found, said);
}

static void wrong_key(const struct file_claims *t, enum finding_kind kind, const char *what, struct bytes found,
                      struct bytes said) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    check_findings_add(t->findings, kind, t->info->path, "%s is hex:%s, not hex:%s", what, key_text_hex(found, a),
                       key_text_hex(said, b));
}

/* ---- file info ---- */

/* A number of 4 or 8 bytes; absent is fine. */
static void check_number(const struct file_claims *t, const char *key, uint64_t found) {
    struct bytes v = hfile_find(t->h, key);
    if (v.n != 4 && v.n != 8) return;
    uint64_t said = v.n == 4 ? be32(v.p) : be64(v.p);
    if (said != (v.n == 4 ? (uint32_t)found : found)) report_wrong(t, key, (long long)found, (long long)said);
}

static void check_bytes(const struct file_claims *t, const char *key, struct bytes found) {
    struct bytes v = hfile_find(t->h, key);
    if (v.p && !bytes_eq(v, found)) wrong_key(t, FINDING_METADATA, key, v, found);
}

/* Notes file info that is that of the whole file, which HBase split while it bulk-loaded it (copyHFileHalf of
 * BulkLoadHFilesTool): HBase copies all of file info into both halves but what starts with "hfile.", and the half gets the bloom
 * filter of the family, which may have none. Bounds that are too wide only cost HBase time. */
static void note_stale(struct file_claims *t, const char *key, long long said, long long found) {
    struct err ignored = {0}; /* a note less */
    (void)buf_printf(&t->stale, &ignored, "%s%s %lld (of its cells: %lld)", t->stale.n ? ", " : "", key, said, found);
}

static void report_stale(struct file_claims *t) {
    if (t->stale.n)
        check_findings_add(t->findings, FINDING_NOTE, t->info->path,
                           "%.*s: as HBase leaves it where it splits a file in a bulk load; no cell is missed by it",
                           (int)t->stale.n, (const char *)t->stale.p);
    buf_free(&t->stale);
}

/* Returns whether the file is as one of these programs wrote it: HBase copies pairs that it does not know when it splits a file,
 * with another number of cells. */
static bool is_own(const struct hfile *h) {
    struct bytes n = hfile_find(h, "OBKV.CELLS");
    return n.n == 8 && be64(n.p) == hfile_info(h)->cells;
}

static void check_bloom_named(struct file_claims *t) {
    enum hfile_bloom kind;
    struct bytes name = t->info->bloom_type_name;
    struct err ignored = {0};
    if (t->info->bloom != HFILE_BLOOM_NONE || !bloom_kind_by_name(name, &kind) || kind == HFILE_BLOOM_NONE) return;
    if (t->exact)
        check_findings_add(t->findings, FINDING_METADATA, t->info->path, "file info names a %s bloom filter that is missing",
                           bloom_kind_name(kind));
    else
        (void)buf_printf(&t->stale, &ignored, "%sBLOOM_FILTER_TYPE %s (it has no such filter)", t->stale.n ? ", " : "",
                         bloom_kind_name(kind));
}

/* A range that is too narrow makes HBase pass over the file, one that is too wide costs time. */
static void check_times(struct file_claims *t, const struct check_sums *m) {
    const struct hfile_info *i = t->info;
    bool exact = t->exact, bulk = hfile_find(t->h, "BULKLOAD_TIMESTAMP").p;
    if (i->has_earliest_put && i->earliest_put_ms < m->earliest_put && !exact)
        note_stale(t, "EARLIEST_PUT_TS", i->earliest_put_ms, m->earliest_put);
    else if (i->has_earliest_put && i->earliest_put_ms != m->earliest_put)
        report_wrong(t, "EARLIEST_PUT_TS", m->earliest_put, i->earliest_put_ms);
    if (!i->has_ts_range) return;
    int64_t min = m->zero_ts && m->ts_min > 0 ? 0 : m->ts_min;
    if (i->ts_min > min || i->ts_max < m->ts_max)
        check_findings_add(t->findings, FINDING_HIDDEN, i->path, "timestamps go from %lld to %lld, TIMERANGE says %lld to %lld",
                           (long long)min, (long long)m->ts_max, (long long)i->ts_min, (long long)i->ts_max);
    else if (exact && (i->ts_min != min || i->ts_max != m->ts_max))
        report_wrong(t, i->ts_min != min ? "TIMERANGE (start)" : "TIMERANGE (end)", i->ts_min != min ? min : m->ts_max,
                     i->ts_min != min ? i->ts_min : i->ts_max);
    if (bulk && !exact && i->ts_min < min && i->ts_max >= m->ts_max) note_stale(t, "TIMERANGE (start)", i->ts_min, min);
    if (bulk && !exact && i->ts_max > m->ts_max && i->ts_min <= min) note_stale(t, "TIMERANGE (end)", i->ts_max, m->ts_max);
}

/* Returns whether the cell that file info names has the size of the biggest. Looked up in its row. 1, 0; -1: not known. */
static int is_of_size(const struct file_claims *t, struct bytes key, uint64_t bytes) {
    struct kv_key k;
    struct err ignored = {0};
    struct buf after = {0};
    const struct hfile_cell *c;
    int found = -1;
    if (!kv_key_parse(key, &k)) return 0;
    struct source *scan = NULL;
    if (!buf_copy(&after, k.row, &ignored) && !buf_put_byte(&after, 0, &ignored)) {
        const struct hfile_scan_opts o = {.start_row = k.row, .stop_row = buf_bytes(&after)};
        scan = hfile_scan_open(t->h, &o, &ignored);
        found = scan ? 0 : -1;
    }
    for (int rc; found == 0 && (rc = hfile_scan_next_cell(scan, &c, &ignored)) != 0;) {
        uint64_t n = 8 + kv_key_size(c->row.n, c->family.n, c->qualifier.n) + c->value.n + (c->tags.n ? 2 + c->tags.n : 0);
        if (rc < 0)
            found = -1;
        else if (n == bytes && c->ts_ms == k.ts_ms && c->type == k.type && bytes_eq(c->qualifier, k.qualifier))
            found = 1;
    }
    source_close(scan);
    buf_free(&after);
    return found;
}

/* Checks the key of the biggest cell. If several cells are as long as the longest, file info may name any. */
static void check_biggest(const struct file_claims *t, const struct check_sums *m) {
    struct bytes said = hfile_find(t->h, "hfile.KEY_OF_BIGGEST_CELL");
    if (said.p && !bytes_eq(said, buf_bytes(&m->biggest.key)) && is_of_size(t, said, m->biggest.bytes) == 0)
        wrong_key(t, FINDING_METADATA, "hfile.KEY_OF_BIGGEST_CELL", said, buf_bytes(&m->biggest.key));
}

static void check_lengths(const struct file_claims *t, const struct check_sums *m) {
    uint64_t n = m->tally.cells;
    check_number(t, "hfile.AVG_KEY_LEN", m->key_bytes / n);
    check_number(t, "hfile.AVG_VALUE_LEN", m->value_bytes / n);
    check_number(t, "hfile.MAX_TAGS_LEN", m->max_tags);
    check_number(t, "hfile.LEN_OF_BIGGEST_CELL", m->biggest.bytes + 4);
    check_biggest(t, m);
    check_number(t, "DELETE_FAMILY_COUNT", m->family_deletes);
    if (t->info->has_mvcc && t->info->max_mvcc != m->max_seq)
        report_wrong(t, "the largest sequence id", (long long)m->max_seq, (long long)t->info->max_mvcc);
}

static void check_keys(const struct file_claims *t, const struct check_range *all) {
    const struct hfile_info *i = t->info;
    struct kv_key last;
    if (i->last_key.n && !bytes_eq(i->last_key, buf_bytes(&all->last_key)))
        wrong_key(t, FINDING_METADATA, "hfile.LASTKEY", i->last_key, buf_bytes(&all->last_key));
    if (i->first_key.n && !bytes_eq(i->first_key, buf_bytes(&all->first_key)))
        wrong_key(t, FINDING_METADATA, "the first key of the index", i->first_key, buf_bytes(&all->first_key));
    if (!kv_key_parse(buf_bytes(&all->last_key), &last)) return;
    if (i->bloom == HFILE_BLOOM_ROW) check_bytes(t, "LAST_BLOOM_KEY", last.row);
    if (i->bloom == HFILE_BLOOM_PREFIX) check_bytes(t, "LAST_BLOOM_KEY", bloom_kind_prefix(last.row, i->bloom_prefix));
}

bool check_facts_dated(const struct check_file_opts *o, const struct hfile *h, int64_t *now_ms) {
    struct bytes rules = hfile_find(h, "OBKV.RULES"), made = hfile_find(h, "hfile.CREATE_TIME_TS");
    char hex[RULES_HASH_BYTES];
    if (!o->rules || !rules.p || made.n != 8) return false;
    *now_ms = (int64_t)be64(made.p);
    for (int kind = 0; kind < COMPACTION_KINDS; kind++) {
        rules_text_hash(o->rules, (enum compaction_kind)kind, hex);
        if (bytes_eq(rules, bytes_str(hex))) return true;
    }
    return false;
}

/* A moment that is too late lets a compaction take the file over with cells that time has dropped; one that is too early, as when
 * the files of an older run were divided, does no harm. */
static void check_drop(const struct file_claims *t, const struct check_file_opts *o, int64_t found) {
    struct bytes v = hfile_find(t->h, "OBKV.NEXT_DROP_MS");
    int64_t now_ms;
    if (v.n == 8 && check_facts_dated(o, t->h, &now_ms) && (int64_t)be64(v.p) > found)
        report_wrong(t, "OBKV.NEXT_DROP_MS", found, (int64_t)be64(v.p));
}

/* HBase copies pairs that it does not know when it splits a file: where OBKV.CELLS is another number, none counts. */
static void check_own(const struct file_claims *t, const struct check_file_opts *o, const struct check_range *all) {
    struct bytes n = hfile_find(t->h, "OBKV.CELLS"), d = hfile_find(t->h, "OBKV.DIGEST");
    struct kv_key first, last;
    if (n.n != 8 || be64(n.p) != t->info->cells) {
        if (n.p && o->expected) check_number(t, "OBKV.CELLS", t->info->cells);
        return;
    }
    check_number(t, "OBKV.DELETES", all->sums.deletes);
    struct bytes task = hfile_find(t->h, "BULKLOAD_SOURCE_TASK"), made = hfile_find(t->h, "hfile.CREATE_TIME_TS");
    const bool by_program = task.n > 5 && !memcmp(task.p, "obkv-", 5) && made.n == 8; /* it writes one moment into both */
    if (by_program) check_number(t, "BULKLOAD_TIMESTAMP", be64(made.p));
    const struct digest found = all->sums.tally.digest;
    if (d.n == 16 && (be64(d.p) != found.hi || be64(d.p + 8) != found.lo))
        check_findings_add(t->findings, FINDING_COUNT, t->info->path, "the digest of its cells is not OBKV.DIGEST");
    if (!kv_key_parse(buf_bytes(&all->first_key), &first) || !kv_key_parse(buf_bytes(&all->last_key), &last)) return;
    check_bytes(t, "OBKV.FIRST", first.row);
    check_bytes(t, "OBKV.LAST", last.row);
    check_number(t, "OBKV.KEY_BYTES", all->sums.key_bytes);
    check_drop(t, o, all->sums.next_expiry);
}

static void note_missing_fields(const struct file_claims *t) {
    struct buf names = {0};
    struct err ignored = {0};
    if (hfile_trailer(t->h)->missing && !trailer_put_missing(hfile_trailer(t->h)->missing, &names, &ignored))
        check_findings_add(t->findings, t->exact ? FINDING_METADATA : FINDING_NOTE, t->info->path,
                           "the trailer lacks %.*s, which HBase writes, but does not need", (int)names.n, (const char *)names.p);
    buf_free(&names);
}

static void check_trailer(const struct file_claims *t, const struct check_range *all) {
    const struct trailer *r = hfile_trailer(t->h);
    note_missing_fields(t);
    uint64_t plain = all->passed.plain_bytes + hfile_open_plain_bytes(t->h);
    if (all->sums.tally.cells != r->entry_count)
        check_findings_add(t->findings, FINDING_COUNT, t->info->path, "%llu cells, the trailer says %llu",
                           (unsigned long long)all->sums.tally.cells, (unsigned long long)r->entry_count);
    if (plain != r->total_plain_bytes && !trailer_lacks(r, TRAILER_TOTAL_PLAIN_BYTES))
        check_findings_add(t->findings, FINDING_METADATA, t->info->path, "%llu bytes uncompressed, the trailer says %llu",
                           (unsigned long long)plain, (unsigned long long)r->total_plain_bytes);
}

void check_facts_report(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all) {
    struct file_claims t = {.h = h, .info = hfile_info(h), .findings = o->findings, .exact = o->expected || is_own(h)};
    check_trailer(&t, all);
    check_bloom_named(&t);
    if (all->sums.tally.cells) {
        check_keys(&t, all);
        check_times(&t, &all->sums);
        check_lengths(&t, &all->sums);
        check_own(&t, o, all);
    }
    if (all->sums.references && !o->expected && !o->family)
        check_findings_add(t.findings, FINDING_NOTE, t.info->path,
                           "%llu of its values are in mob files, which are not followed from a single file: check its table",
                           (unsigned long long)all->sums.references);
    report_stale(&t);
}

/* ---- the manifest ---- */

static void check_row(const struct check_file_opts *o, const char *which, struct bytes found, const struct buf *said) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    if (!bytes_eq(found, buf_bytes(said)))
        check_findings_add(o->findings, FINDING_METADATA, o->path, "its %s row is hex:%s, the manifest says hex:%s", which,
                           key_text_hex(found, a), key_text_hex(buf_bytes(said), b));
}

static void check_rows(const struct check_file_opts *o, struct bytes first_key, struct bytes last_key) {
    struct kv_key first, last;
    if (!kv_key_parse(first_key, &first) || !kv_key_parse(last_key, &last)) {
        check_findings_add(o->findings, FINDING_METADATA, o->path, "first or last key is missing");
        return;
    }
    check_row(o, "first", first.row, &o->expected->first_row);
    check_row(o, "last", last.row, &o->expected->last_row);
}

void check_facts_report_family(const struct check_file_opts *o, struct bytes key) {
    struct kv_key k;
    if (kv_key_parse(key, &k) && !bytes_eq(k.family, bytes_str(o->family)))
        check_findings_add(o->findings, FINDING_MISPLACED, o->path, "cells of family '%.*s' instead of '%s'", (int)k.family.n,
                           (const char *)k.family.p, o->family);
}

/* "17 p17": where the file was written for. */
static void check_partition(const struct check_file_opts *o, const struct hfile *h) {
    struct bytes v = hfile_find(h, "OBKV.PARTITION");
    char text[400];
    uint32_t p = o->expected->partition;
    int n = snprintf(text, sizeof text, "%u %s", p, o->names[p]);
    if (v.p && (size_t)n < sizeof text && !bytes_eq(v, bytes_str(text)))
        check_findings_add(o->findings, FINDING_MISPLACED, o->path, "it was written for partition %.*s, but is listed as %s",
                           (int)(v.n < 100 ? v.n : 100), (const char *)v.p, text);
}

static void check_tally(const struct check_file_opts *o, struct tally found, const char *where) {
    const struct tally *said = &o->expected->tally;
    char a[DIGEST_HEX], b[DIGEST_HEX];
    if (said->cells == found.cells && digest_eq(said->digest, found.digest)) return;
    digest_print(found.digest, a);
    digest_print(said->digest, b);
    check_findings_add(o->findings, FINDING_COUNT, o->path, "%s%llu cells with digest %s, the manifest says %llu with %s", where,
                       (unsigned long long)found.cells, a, (unsigned long long)said->cells, b);
}

/* As --set BLOOMFILTER has it: none, row, rowcol, prefix:LENGTH. */
static bool is_bloom(const char *asked, enum hfile_bloom kind) {
    static const char prefix[] = "prefix:";
    if (!strncmp(asked, prefix, sizeof prefix - 1)) return kind == HFILE_BLOOM_PREFIX;
    return strcasecmp(asked, bloom_kind_name(kind)) == 0;
}

/* Checks that the file has the codec, encoding and bloom filter that the settings asked for, up to the level of a codec. --like
 * asks for something else for each family, and files of a base keep what they have. */
static void check_asked(const struct check_file_opts *o, const struct hfile_info *i) {
    const char *codec = json_string_value(json_object_get(o->settings, "codec")),
               *encoding = json_string_value(json_object_get(o->settings, "encoding")),
               *bloom = json_string_value(json_object_get(o->settings, "bloom"));
    if (o->expected->taken || json_object_get(o->settings, "like")) return;
    char name[16] = "";
    if (codec) snprintf(name, sizeof name, "%.*s", (int)strcspn(codec, ":"), codec);
    const struct codec *c = codec ? codec_by_name(name) : NULL;
    if (codec && (!c || (unsigned)c->ordinal != (unsigned)i->codec))
        check_findings_add(o->findings, FINDING_METADATA, o->path, "its codec is %s, the manifest's settings say %.40s",
                           hfile_codec_name(i->codec), codec);
    if (encoding && strcasecmp(encoding, hfile_encoding_name(i->encoding)) != 0)
        check_findings_add(o->findings, FINDING_METADATA, o->path, "its encoding is %s, the manifest's settings say %.40s",
                           hfile_encoding_name(i->encoding), encoding);
    if (bloom && !is_bloom(bloom, i->bloom))
        check_findings_add(o->findings, FINDING_METADATA, o->path, "its bloom filter is %s, the manifest's settings say %.40s",
                           bloom_kind_name(i->bloom), bloom);
}

/* A run writes its files at its own moment; only files that it reused are older. */
static void check_made(const struct check_file_opts *o, const struct hfile *h) {
    struct bytes made = hfile_find(h, "hfile.CREATE_TIME_TS");
    if (o->expected->taken || made.n != 8 || (int64_t)be64(made.p) == o->now_ms) return;
    check_findings_add(o->findings, FINDING_METADATA, o->path,
                       "was written at %lld, the run of the manifest at %lld, and the manifest does not list it as reused",
                       (long long)be64(made.p), (long long)o->now_ms);
}

void check_facts_report_listed(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all) {
    const struct manifest_file *m = o->expected;
    const struct check_sums *s = &all->sums;
    check_tally(o, s->tally, "");
    if (m->kv_bytes != s->kv_bytes)
        check_findings_add(o->findings, FINDING_METADATA, o->path, "%llu KeyValue bytes, the manifest says %llu",
                           (unsigned long long)s->kv_bytes, (unsigned long long)m->kv_bytes);
    if (s->tally.cells && (m->ts_min != s->ts_min || m->ts_max != s->ts_max))
        check_findings_add(o->findings, FINDING_METADATA, o->path,
                           "timestamps go from %lld to %lld, the manifest says %lld to %lld", (long long)s->ts_min,
                           (long long)s->ts_max, (long long)m->ts_min, (long long)m->ts_max);
    check_made(o, h);
    check_asked(o, hfile_info(h));
    check_rows(o, buf_bytes(&all->first_key), buf_bytes(&all->last_key));
    check_partition(o, h);
}

void check_facts_report_opened(const struct check_file_opts *o, const struct hfile *h) {
    const struct hfile_info *i = hfile_info(h);
    const struct manifest_file *m = o->expected;
    struct bytes d = hfile_find(h, "OBKV.DIGEST");
    struct tally said = {.cells = i->cells, .digest = m->tally.digest};
    if (d.n == 16) said.digest = (struct digest){.hi = be64(d.p), .lo = be64(d.p + 8)};
    check_tally(o, said, "file info and trailer count ");
    if (i->has_ts_range && (i->ts_max != m->ts_max || (i->ts_min != m->ts_min && i->ts_min != 0)))
        check_findings_add(o->findings, FINDING_METADATA, o->path, "TIMERANGE is %lld to %lld, the manifest says %lld to %lld",
                           (long long)i->ts_min, (long long)i->ts_max, (long long)m->ts_min, (long long)m->ts_max);
    check_made(o, h);
    check_asked(o, hfile_info(h));
    check_rows(o, i->first_key, i->last_key);
    check_facts_report_family(o, i->last_key);
    check_partition(o, h);
}
