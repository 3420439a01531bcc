/* Which files of an export go into one statement, and which wait: random exports of three families, loaded by random workers.
 *
 * Every file goes in once. Files of a table that is loaded by direct loads or from an external table never run in two statements,
 * nor do small tables side by side, which only wait for each other; rows that are sent run side by side, but never two files into
 * one partition. A statement is of one table, and has no more text than a batch may have, unless that is one file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/load/load_batch.h"
#include "cmd/oceanbase/export_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILIES = 3, PARTITIONS = 7, FILES_MAX = FAMILIES * PARTITIONS * 3, WORKERS = 5, ROUNDS = 400 };
static const uint64_t large_table = 64ull << 20, batch_least = 2ull << 30;

struct made {
    struct export_manifest m;
    struct family families[FAMILIES];
    char *names[PARTITIONS], name[PARTITIONS][8];
    struct export_file files[FILES_MAX];
    char path[FILES_MAX][24];
    uint64_t table_bytes[FAMILIES];
    struct load_files_opts o;
    unsigned seen[FILES_MAX];
};

static uint64_t at_random(unsigned *seed, uint64_t n) {
    return ((uint64_t)rand_r(seed) << 31 | (uint64_t)rand_r(seed)) % n;
}

static void make_files(struct made *d, unsigned *seed) {
    for (uint32_t family = 0; family < FAMILIES; family++) {
        const uint64_t scale = (uint64_t[]){1 << 10, 1 << 20, 1 << 26, 1ull << 30}[at_random(seed, 4)];
        for (uint32_t p = 0; p < PARTITIONS; p++)
            for (uint32_t n = (uint32_t)at_random(seed, 4); n; n--) {
                const size_t i = d->m.n_files++;
                struct export_file *f = &d->files[i];
                snprintf(d->path[i], sizeof d->path[i], "data/%u/%u-%u", family, p, n);
                *f = (struct export_file){.path = d->path[i], .family = family, .partition = p, .number = n};
                f->big = at_random(seed, 12) == 0;
                f->text_bytes = f->file_bytes = 1 + at_random(seed, scale);
                f->sums.rows = 1 + f->text_bytes / 100;
                d->table_bytes[family] += f->text_bytes;
            }
    }
}

static void make(struct made *d, unsigned seed) {
    static char family_names[FAMILIES][8] = {"t$a", "t$b", "t$c"};
    memset(d, 0, sizeof *d);
    for (int p = 0; p < PARTITIONS; p++) {
        snprintf(d->name[p], sizeof d->name[p], "p%d", p);
        d->names[p] = d->name[p];
    }
    for (int i = 0; i < FAMILIES; i++) {
        d->families[i] = (struct family){.name = family_names[i] + 2, .sql_table = family_names[i]};
        d->families[i].has_generated = at_random(&seed, 3) == 0;
    }
    d->m.table = (struct table){.families = d->families, .n_families = FAMILIES};
    d->m.table.partitioning = (struct partitioning){.kind = PARTITION_KEY, .count = PARTITIONS, .names = d->names};
    d->m.files = d->files;
    make_files(d, &seed);
    d->o = (struct load_files_opts){.m = &d->m, .dir = "/d", .server_dir = "/d", .is_oceanbase = true, .jobs = WORKERS};
    d->o.external = at_random(&seed, 2);
    d->o.local = at_random(&seed, 4) == 0;
    d->o.target.version = at_random(&seed, 4) ? LOAD_VERSION(4, 3, 5, 3) : LOAD_VERSION(4, 2, 1, 0);
    d->o.target.on_duplicate = at_random(&seed, 2) ? ON_DUPLICATE_REPLACE : ON_DUPLICATE_ERROR;
}

/* Returns whether f goes into a direct load, or into a statement from an external table. */
static bool of_table(const struct load_file *f, const struct family *family) {
    return f->external || (!family->has_generated && !f->file->big && !f->small);
}

static void demand_batch(const struct made *d, const struct load_list *l, const struct load_batch *b) {
    uint64_t bytes = 0;
    assert_true(b->n > 0);
    for (size_t i = 0; i < b->n; i++) {
        assert_int_equal(b->files[i]->file->family, b->files[0]->file->family);
        assert_int_equal(b->files[i]->state, LOAD_RUNS);
        assert_true(b->n == 1 || of_table(b->files[i], &d->families[b->files[i]->file->family]));
        bytes += b->files[i]->file->text_bytes;
    }
    assert_true(b->n == 1 || bytes <= l->batch_bytes);
}

static void demand_apart(const struct made *d, const struct load_batch *a, const struct load_batch *b) {
    const struct load_file *f = a->files[0], *g = b->files[0];
    const uint32_t x = f->file->family, y = g->file->family;
    const bool table_f = of_table(f, &d->families[x]), table_g = of_table(g, &d->families[y]);
    if (table_f && table_g) {
        assert_int_not_equal(x, y);
        assert_true(f->external || g->external || d->table_bytes[x] >= large_table || d->table_bytes[y] >= large_table);
    }
    if (x != y) return;
    assert_false(table_f || table_g); /* rows of such a table wait for its statement */
    assert_int_not_equal(f->file->partition, g->file->partition);
}

/* Workers take batches and end them at any time, or fail, after which the files wait again. */
static void run(struct made *d, unsigned seed) {
    struct load_list l;
    struct load_batch running[WORKERS];
    struct err err = {0};
    bool more = true;
    int n = 0;
    assert_int_equal(load_list_make(&l, &d->o, &err), 0);
    assert_true(l.batch_bytes == UINT64_MAX || l.batch_bytes >= batch_least);
    while (more || n) {
        if (n < WORKERS && at_random(&seed, 2)) {
            const int got = load_batch_pick(&l, &running[n], &more, &err);
            assert_int_not_equal(got, -1);
            assert_true(got || n || !more); /* nobody waits for nothing */
            if (got == 1) demand_batch(d, &l, &running[n]);
            for (int i = 0; got == 1 && i < n; i++) demand_apart(d, &running[i], &running[n]);
            n += got == 1;
        } else if (n) {
            struct load_batch b = running[at_random(&seed, (uint64_t)n)];
            for (int i = 0; i < n; i++)
                if (running[i].files == b.files) running[i] = running[n - 1];
            n--;
            const bool fails = at_random(&seed, 10) == 0;
            for (size_t i = 0; i < b.n; i++) {
                b.files[i]->state = fails ? LOAD_WAITS : LOAD_IN;
                d->seen[b.files[i] - l.files] += !fails;
            }
            load_batch_free(&b);
        }
    }
    for (size_t i = 0; i < l.n; i++) assert_int_equal(d->seen[i], 1);
    load_list_free(&l);
}

static void test_batches(void **state) {
    (void)state;
    struct made *d = malloc(sizeof *d);
    assert_non_null(d);
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        make(d, seed);
        run(d, seed);
    }
    free(d);
}

static void test_share(void **state) {
    (void)state;
    assert_int_equal(load_batch_bytes(100, 7), 7);
    assert_int_equal(load_batch_bytes(1600, 7), 100);
    assert_int_equal(load_batch_bytes(UINT64_MAX, 7), 64ull << 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
