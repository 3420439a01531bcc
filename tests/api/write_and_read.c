/* Writes files through the public interface and reads them back: every codec, encoding and bloom filter, threads or none,
 * index, blocks and bloom filters, merges with and without rules, and what must be refused. write_and_read DIRECTORY; a line for
 * each thing tried. */
#include "rows.h"

#include <unistd.h>

/* ---- writing ---- */

static void every_kind(void) {
    static const char *const codecs[] = {"NONE", "SNAPPY", "LZ4", "ZSTD", "GZ", "BROTLI"};
    static const char *const encodings[] = {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
    static const char *const blooms[] = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
    sst_error error = {0};
    for (unsigned c = 0; c < 6; c++)
        for (unsigned e = 0; e < 5; e++) {
            sst_writer_options o = {0};
            sst_digest in, out = {0, 0};
            uint64_t cells = 0;
            char what[100];
            o.size = sizeof o;
            o.codec = codecs[c];
            o.encoding = encodings[e];
            o.bloom = blooms[(c + e) % 4];
            o.bloom_prefix_bytes = 4;
            o.threads = e % 3;
            snprintf(what, sizeof what, "%s, %s, bloom %s, %u threads", o.codec, o.encoding, o.bloom, o.threads);
            int rc = write_rows("kind.hfile", &o, &in, &error) || digest_of("kind.hfile", &cells, &out, &error);
            check(!rc && cells == ROWS && in.low == out.low && in.high == out.high, what, error.text);
        }
}

static int same_bytes(const char *a, const char *b) {
    char command[9000], left[4200];
    snprintf(left, sizeof left, "%s", path_of(a));
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", left, path_of(b));
    return system(command) == 0;
}

static void threads_do_not_show(void) {
    sst_writer_options o = {0};
    sst_error error = {0};
    sst_digest d;
    o.size = sizeof o;
    int rc = write_rows("alone.hfile", &o, &d, &error);
    o.threads = 4;
    rc = rc || write_rows("team.hfile", &o, &d, &error);
    check(!rc && same_bytes("alone.hfile", "team.hfile"), "four threads write the bytes of one", error.text);
}

static void own_file_info(void) {
    const sst_new_pair pair = {"MY.KEY", text("my value")};
    sst_writer_options o = {0};
    sst_error error = {0};
    sst_digest d;
    sst_bytes value;
    size_t n;
    o.size = sizeof o;
    o.pairs = &pair;
    o.n_pairs = 1;
    int rc = write_rows("pairs.hfile", &o, &d, &error);
    sst_file *f = open_name("pairs.hfile");
    check(!rc && sst_file_find(f, "MY.KEY", &value) == 1 && is(value, "my value"), "a pair of file info comes back", error.text);
    check(sst_file_find(f, "NO.KEY", &value) == 0 && sst_file_pairs(f, &n) && n > 10, "pairs are listed", "");
    sst_file_close(f);
}

static void refused(void) {
    sst_writer_options o = {0};
    sst_error error = {0};
    sst_cell a = put("a", "q", 1, ""), b = put("b", "q", 1, "");
    sst_writer *w = sst_writer_open(path_of("refused.hfile"), NULL, &error);
    int rc = sst_writer_put(w, &b, &error);
    check(!rc && sst_writer_put(w, &a, &error) == -1 && error.code == SST_USAGE, "cells out of order are refused", error.text);
    check(sst_writer_finish(w, &error) == -1, "nothing is finished after a failure", "");
    sst_writer_close(w);
    check(access(path_of("refused.hfile"), F_OK) != 0, "nothing is left of an unfinished file", "");
    o.size = sizeof o;
    o.codec = "NOSUCH";
    check(!sst_writer_open(path_of("x"), &o, &error) && error.code == SST_USAGE, "an unknown codec is refused", error.text);
    o.size = 3;
    check(!sst_writer_open(path_of("x"), &o, &error) && error.code == SST_USAGE, "options without a size are refused",
          error.text);
    check(!sst_file_open(path_of("nosuch"), NULL, &error) && error.code == SST_INPUT && error.system, "no such file", error.text);
}

/* ---- reading ---- */

static int count_entries(void *context, const sst_index_entry *entry) {
    sst_cell key;
    sst_error error;
    if (sst_key_parse(entry->key.data, entry->key.size, &key, &error)) return 7;
    return ++*(int *)context == 3 ? 5 : 0;
}

static int count_blocks(void *context, const sst_block *block) {
    ((int *)context)[block->kind]++;
    return 0;
}

static void around_the_cells(void) {
    sst_file *f = open_name("alone.hfile");
    sst_error error = {0};
    int entries = 0, blocks[SST_BLOCK_KINDS] = {0};
    char key[100];
    size_t n = 0;
    check(sst_file_walk_index(f, count_entries, &entries, &error) == 5 && entries == 3, "a visit ends the walk", error.text);
    check(!sst_file_walk_blocks(f, count_blocks, blocks, &error) && blocks[SST_BLOCK_DATA] > 5, "blocks are walked", error.text);
    check(!sst_file_mid_key(f, key, sizeof key, &n, &error) && n > 10 && n < 100, "the middle key", error.text);
    sst_bloom *b = sst_bloom_open(f, 0, &error);
    check(b && sst_bloom_may_have_row(b, "r000001", 7, &error) == 1, "the bloom filter knows a row", error.text);
    int absent = 0;
    for (int i = 0; b && i < 100; i++) absent += sst_bloom_may_have_row(b, &i, sizeof i, &error) == 0;
    check(absent > 80, "the bloom filter knows what is not there", error.text);
    sst_bloom_close(b);
    check(!sst_bloom_open(f, 1, &error) && error.code == SST_OK, "no filter of deletes: no error", error.text);
    sst_file_close(f);
}

/* ---- merging ---- */

static void write_cells(const char *name, const sst_cell *cells, size_t n) {
    sst_error error;
    sst_writer *w = (sst_writer *)need(sst_writer_open(path_of(name), NULL, &error), name, &error);
    for (size_t i = 0; i < n; i++) check(!sst_writer_put(w, &cells[i], &error), "put", error.text);
    check(!sst_writer_finish(w, &error), name, error.text);
    sst_writer_close(w);
}

static sst_scan *merge_two(sst_file *a, sst_file *b, int rules, uint32_t versions, int ties) {
    sst_merge_options o = {0};
    sst_error error;
    sst_scan *both[2];
    o.size = sizeof o;
    o.rules = rules;
    o.versions = versions;
    o.ties = ties;
    o.now_ms = 1000000;
    both[0] = sst_scan_open(a, NULL, &error);
    both[1] = sst_scan_open(b, NULL, &error);
    return (sst_scan *)need(sst_merge_open(both, 2, &o, &error), "merge", &error);
}

static void values_are(sst_scan *s, const char *want, const char *what) {
    char got[200] = "";
    sst_error error = {0};
    const sst_cell *c;
    int more;
    while ((more = sst_scan_next(s, &c, &error)) == 1)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s ", (int)c->value.size, (const char *)c->value.data);
    check(!more && !strcmp(got, want), what, more ? error.text : got);
}

static void merges(void) {
    sst_cell older[] = {put("a", "q", 5, "a5"), put("a", "q", 3, "a3"), put("b", "q", 9, "b9old"), put("d", "q", 1, "d1")};
    sst_cell newer[] = {put("a", "q", 4, "a4"), put("b", "q", 9, "b9new"), put("c", "q", 2, "c2"), put("d", "q", 1, "del")};
    newer[3].type = SST_DELETE_COLUMN;
    newer[3].timestamp = 6;
    write_cells("older.hfile", older, 4);
    write_cells("newer.hfile", newer, 4);
    sst_file *a = open_name("older.hfile"), *b = open_name("newer.hfile");
    sst_scan *s = merge_two(a, b, SST_RULES_NONE, 0, SST_TIES_BY_SOURCE);
    values_are(s, "a5 a4 a3 b9new b9old c2 del d1 ", "a merge without rules keeps all");
    sst_error error;
    check(!sst_scan_seek(s, "c", 1, &error), "a merge moves", error.text);
    values_are(s, "c2 del d1 ", "a merge goes on from there");
    sst_scan_close(s);
    s = merge_two(a, b, SST_RULES_MAJOR, 2, SST_TIES_BY_SOURCE);
    values_are(s, "a5 a4 b9new c2 ", "a major compaction keeps two versions");
    check(sst_scan_dropped(s, SST_DROP_SUPERSEDED) == 1 && sst_scan_dropped(s, SST_DROP_DUPLICATE) == 1 &&
              sst_scan_dropped(s, SST_DROP_DELETED) == 1 && sst_scan_dropped(s, SST_DROP_PURGED) == 1,
          "what was dropped is counted by reason", "");
    sst_scan_close(s);
    s = merge_two(a, b, SST_RULES_MAJOR, 0, SST_TIES_BY_SOURCE);
    values_are(s, "a5 b9new c2 ", "one version where none is given");
    sst_scan_close(s);
    sst_file_close(a);
    sst_file_close(b);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    snprintf(place, sizeof place, "%s", argv[1]);
    check(!strcmp(sst_version(), SST_VERSION), "the library is of the header's version", sst_version());
    every_kind();
    threads_do_not_show();
    own_file_info();
    refused();
    around_the_cells();
    merges();
    return 0;
}
