/* Decisions of HBase 2.6.4's own policy classes, line by line: which files a compaction takes, when and where a region splits,
 * what a cell takes of a memstore, whether regions move and how many each server has then. The lines are those of
 * tests/interop/src/DecidePolicies.java.
 * t_hbase_rules FILE: the lines of another file. */
#include "cmd/split/simulate/hbase_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { FIELDS = 7, MOST = 64 };

static const char *vectors = "tests/data/vectors/hbase_policies.tsv";

/* Splits text in place; returns the number of parts. */
static int cut(char *text, char by, char **out, int most) {
    int n = 0;
    for (char *p = text; p && n < most; n++) {
        out[n] = p;
        p = strchr(p, by);
        if (p) *p++ = 0;
    }
    return n;
}

static struct property_list list_of(char *text) {
    struct property_list l = {0};
    struct err err = {0};
    char *pairs[MOST];
    int n = *text ? cut(text, ';', pairs, MOST) : 0;
    for (int i = 0; i < n; i++) {
        char *value = strchr(pairs[i], '=');
        *value++ = 0;
        assert_int_equal(property_list_put(&l, pairs[i], value, "vector", &err), 0);
    }
    return l;
}

static struct sim_settings settings_of(char **fields) {
    static const char *const names[] = {"f"};
    struct property_list site = list_of(fields[1]), table = list_of(fields[2]), family = list_of(fields[3]);
    struct sim_given g = {.site = &site, .table = &table, .family_names = names, .families = &family, .n_families = 1};
    struct sim_settings s;
    struct err err = {0};
    if (sim_settings_make(&g, &s, &err)) fail_msg("%s", err.text);
    property_list_free(&site);
    property_list_free(&table);
    property_list_free(&family);
    return s;
}

static int32_t java_hash(const char *s) {
    uint32_t h = 0;
    for (; *s; s++) h = 31 * h + (unsigned char)*s;
    return (int32_t)h;
}

static void decide_select(char **fields, char *out, size_t room) {
    struct sim_settings s = settings_of(fields);
    const struct sim_compaction *c = &s.families[0].compaction;
    char *state[4], *texts[MOST], *p[5];
    assert_int_equal(cut(fields[4], ',', state, 4), 4);
    struct select_state now = {
        .now_ms = atoll(state[0]), .force_major = *state[1] == '1', .offpeak = *state[2] == '1', .ttl_ms = atoll(state[3])};
    struct select_file files[MOST];
    int n = cut(fields[5], ';', texts, MOST);
    for (int i = 0; i < n; i++) {
        assert_int_equal(cut(texts[i], ',', p, 5), 5);
        files[i] = (struct select_file){.bytes = strtoull(p[0], NULL, 10),
                                        .made_ms = atoll(p[1]),
                                        .oldest_ms = atoll(p[2]),
                                        .name_hash = java_hash(p[3]),
                                        .reference = strchr(p[4], 'r') != NULL,
                                        .compacting = strchr(p[4], 'c') != NULL,
                                        .compacted = strchr(p[4], 'm') != NULL};
    }
    struct select_result r = select_files(files, (size_t)n, &now, c);
    if (!r.n) r = (struct select_result){0};
    snprintf(out, room, "%zu %zu %d %d %d %d %d", r.first, r.n, r.all_files, r.major, r.offpeak,
             select_is_needed(files, (size_t)n, c), select_is_major_due(files, (size_t)n, &now, c));
    sim_settings_free(&s);
}

static size_t from_hex(const char *hex, uint8_t *out) {
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return n;
}

static void decide_split(char **fields, char *out, size_t room) {
    struct sim_settings s = settings_of(fields);
    char *texts[MOST], *p[3];
    uint64_t bytes[MOST];
    bool has[MOST], references = false;
    uint8_t rows[MOST][16];
    size_t lengths[MOST];
    int n = cut(fields[5], ';', texts, MOST);
    for (int i = 0; i < n; i++) {
        assert_int_equal(cut(texts[i], ',', p, 3), 3);
        bytes[i] = strtoull(p[0], NULL, 10);
        has[i] = *p[1] != '-';
        lengths[i] = has[i] ? from_hex(p[1], rows[i]) : 0;
        references |= *p[2] == 'r';
    }
    bool applies = split_rule_applies(&s.region, split_rule_size(&s.region, 0.9), (uint32_t)atoi(fields[4]), bytes, (uint32_t)n);
    size_t store = split_rule_store(bytes, has, (size_t)n);
    struct bytes row = store == SIZE_MAX ? bytes_of("", 0) : split_rule_row(&s.region, bytes_of(rows[store], lengths[store]));
    int used = snprintf(out, room, "%s", references || !applies ? "0" : store == SIZE_MAX ? "1 -" : "1 ");
    for (size_t i = 0; !references && applies && i < row.n; i++)
        used += snprintf(out + used, room - (size_t)used, "%02x", row.p[i]);
    sim_settings_free(&s);
}

static void decide_heap(char **fields, char *out, size_t room) {
    char *p[4];
    assert_int_equal(cut(fields[4], ',', p, 4), 4);
    uint64_t row = strtoull(p[0], NULL, 10), qualifier = strtoull(p[1], NULL, 10), value = strtoull(p[2], NULL, 10);
    uint64_t tags = *p[3] == '0' ? 0 : strtoull(p[3], NULL, 10) + 3; /* its length and type */
    uint64_t bytes = 8 + 2 + row + 1 + 1 + qualifier + 9 + value + (tags ? 2 + tags : 0);
    snprintf(out, room, "%llu", (unsigned long long)heap_size_of_cell(bytes));
}

static int most_first(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static void decide_balance(char **fields, char *out, size_t room) {
    struct sim_settings s = settings_of(fields);
    char *texts[MOST];
    uint32_t regions[MOST], from, to, moves = 0;
    int n = cut(fields[4], ',', texts, MOST);
    for (int i = 0; i < n; i++) regions[i] = (uint32_t)atoi(texts[i]);
    if (balance_rule_applies(regions, (uint32_t)n, s.server.slop))
        for (; balance_rule_next(regions, (uint32_t)n, &from, &to); moves++) {
            regions[from]--;
            regions[to]++;
        }
    qsort(regions, (size_t)n, sizeof *regions, most_first);
    int used = snprintf(out, room, "%d", moves > 0);
    for (int i = 0; i < n; i++) used += snprintf(out + used, room - (size_t)used, " %u", regions[i]);
    sim_settings_free(&s);
}

static void decided_as_by_hbase(void **state) {
    (void)state;
    FILE *f = fopen(vectors, "r");
    if (!f) fail_msg("%s cannot be read", vectors);
    char *line = NULL, *fields[FIELDS], got[200];
    size_t room = 0, lines = 0, wrong = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) > 0; lines++) {
        char *shown = strndup(line, (size_t)n), *want;
        line[strcspn(line, "\n")] = 0;
        int parts = cut(line, '\t', fields, FIELDS);
        want = fields[parts - 1];
        if (!strcmp(fields[0], "select")) decide_select(fields, got, sizeof got);
        if (!strcmp(fields[0], "split")) decide_split(fields, got, sizeof got);
        if (!strcmp(fields[0], "balance")) decide_balance(fields, got, sizeof got);
        if (!strcmp(fields[0], "heap")) decide_heap(fields, got, sizeof got);
        if (strcmp(got, want) != 0 && wrong++ < 8) print_error("line %zu: '%s' instead of '%s': %s", lines + 1, got, want, shown);
        free(shown);
    }
    free(line);
    fclose(f);
    assert_true(lines >= 300);
    if (wrong) fail_msg("%zu of %zu decisions are others", wrong, lines);
}

int main(int argc, char **argv) {
    if (argc > 1) vectors = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decided_as_by_hbase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
