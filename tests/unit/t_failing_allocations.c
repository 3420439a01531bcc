/* Each allocation of parsers and readers fails once: definitions, mappings and the text that they are for, manifests and accounts
 * of them, HBase's metadata, files of every format. Inputs are those of the fuzz corpora and some that use all of a language. */
#include "failing_allocations.h"

#include "base/fs.h"
#include "dataset/account.h"
#include "dataset/manifest_order.h"
#include "formats/formats.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/shell_create.h"
#include "formats/hbase/snapshot.h"
#include "formats/mapping/mapping_parse.h"
#include "table/ddl.h"
#include "table/placement.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct input {
    const char *format, *content, *columns, *mapping;
    const char *path; /* instead of content */
    const char *dialect;
};

/* ---- readers ---- */

struct counter {
    struct emit base;
    uint64_t sum;
};

static void add_part(struct counter *c, const struct row_part *p) {
    for (uint32_t i = 0; i < p->n_cells; i++)
        c->sum = c->sum * 31 + p->row.n + 7 * p->cells[i].qualifier.n + 11 * p->cells[i].value.n + (uint64_t)p->cells[i].ts_ms;
}

static int count_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    (void)why;
    (void)err;
    for (uint32_t i = 0; i < n; i++) add_part((struct counter *)e, &parts[i]);
    return 1;
}

static int count_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    (void)tally;
    (void)err;
    add_part((struct counter *)e, part);
    return 0;
}

static int count_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                        struct err *err) {
    (void)offset;
    (void)why;
    (void)err;
    ((struct counter *)e)->sum += 1000 * line + raw.n;
    return 0;
}

static void count_skip(struct emit *e, uint64_t records) {
    ((struct counter *)e)->sum += 100000 * records;
}

static int drain(struct reader *r, struct counter *c, struct err *err) {
    struct chunk chunk = {0};
    int rc;
    while ((rc = r->ops->next(r, &chunk, err)) > 0)
        if ((rc = r->ops->parse(r, &chunk, 0, &c->base, err))) break;
    if (!rc && r->ops->finish) rc = r->ops->finish(r, err);
    buf_free(&chunk.data);
    return rc;
}

static int file_of(const struct input *in, char path[300]) {
    int fd = in->path ? -1 : memfd_create("test", 0);
    if (in->path) snprintf(path, 300, "%s", in->path);
    if (in->path) return fd;
    assert_int_equal(write(fd, in->content, strlen(in->content)), strlen(in->content));
    snprintf(path, 300, "/proc/self/fd/%d", fd);
    return fd;
}

static int read_whole(const struct input *in, const struct read_opts *o, struct counter *c, struct err *err) {
    char path[300];
    int fd = file_of(in, path);
    struct reader *r = format_open(path, in->format, o, NULL, err);
    int rc = r ? drain(r, c, err) : -1;
    if (r) r->ops->close(r);
    if (fd >= 0) close(fd);
    return rc;
}

static uint64_t read_input(const void *arg, struct err *err) {
    static const struct emit_ops ops = {.record = count_record, .cells = count_cells, .reject = count_reject, .skip = count_skip};
    static const struct mapping_defaults defaults = {0};
    const struct input *in = arg;
    struct counter c = {.base.ops = &ops};
    struct dialect d = {0};
    struct table table = {0};
    struct shape_set shapes = {0};
    struct buf warnings = {0};
    struct mapping *m = in->mapping ? mapping_parse("m.json", bytes_str(in->mapping), &defaults, err) : NULL;
    int rc = (in->mapping && !m) || (in->dialect && dialect_parse(&d, in->dialect, err)) ? -1 : table_handmade(&table, err);
    struct read_opts o = {.text = {.columns = in->columns, .mapping = m, .dialect = &d},
                          .default_ts_ms = 77,
                          .table = &table,
                          .open_families = true,
                          .shapes = &shapes,
                          .warnings = &warnings,
                          .temp_dir = "/tmp",
                          .memory = {.chunk = 1 << 16, .max_cell = 1 << 20}};
    if (!rc) rc = read_whole(in, &o, &c, err);
    assert_int_equal(rc != 0, err->code != ERR_NONE);
    mapping_free(m);
    buf_free(&warnings);
    shape_set_free(&shapes);
    table_free(&table);
    return rc ? 0 : c.sum;
}

static const struct input texts[] = {
    {.format = "csv", .content = "k1,v,7\nk2,\"a,\"\"b\",8\nbad\nk3,,9\n", .columns = "HBASE_ROW_KEY,f:a,HBASE_TS_KEY"},
    {.format = "csv",
     .content = "id,name,city,at\n1,x,y,5\n2,z,,6\n",
     .columns = "id=HBASE_ROW_KEY,at=HBASE_TS_KEY,name=f:a,city=g:b",
     .dialect = "csv,header=each"},
    {.format = "csv", .content = "id,name,city\n1,x,y\n2,z,\n", .columns = "id=HBASE_ROW_KEY,*=f", .dialect = "csv,header=each"},
    {.format = "tsv", .content = "k1\tv\t7\nk2\tw\t8\n", .columns = "HBASE_ROW_KEY,f:a,f:b"},
    {.format = "csv",
     .content = "id,op,at,l,t\nk,I,2026-01-02 03:04:05,\"a,b\",9\nm,D,2026-01-02 03:04:06,\"[{\"\"s\"\":1},{\"\"s\"\":2}]\",\n",
     .mapping =
         "{\"sources\": [{\"files\": [\"x*.csv\", \"*\"], \"skip_empty\": true, \"dialect\": {\"name\": \"csv\", \"header\": "
         "\"each\", \"null\": [\"N\", \"-\"]},\n"
         " \"rows\": [{\"row\": \"salt(md5(id), 16) + '_' + upper(id)\", \"timestamp\": \"date(at, 'yyyy-MM-dd HH:mm:ss')\",\n"
         "  \"ttl\": \"if(empty(t), null, number(t) * 1000)\", \"when\": \"not empty(id) and op != 'X'\",\n"
         "  \"cells\": [{\"column\": \"f:a\", \"value\": \"op\", \"type\": \"if(op = 'D', 'delete_column', 'put')\"},\n"
         "   {\"column\": \"f:{item}\", \"each\": \"l\", \"value\": \"item\", \"when\": \"contains(item, 'a') or "
         "is_number(join('-', "
         "item, lower(id)))\", \"separator\": \",\"},\n"
         "   {\"column\": \"g:{concat(id, '-', substring(op, 1, 1))}\", \"value\": \"reverse(sha256(id))\", \"timestamp\": "
         "\"5\"}]}]},\n"
         " {\"files\": \"y*\", \"columns\": [\"a\", \"b\"], \"delimiter\": \";\", \"quote\": \"none\", \"null\": \"\", \"row\": "
         "\"a\",\n"
         "  \"cells\": {\"f:b\": \"coalesce(b, 'x')\"}}]}"},
    {.format = "jsonl",
     .content = "{\"id\": \"a\", \"o\": {\"q\": [1, {\"s\": null}]}, \"l\": [{\"k\": \"x\", \"v\": 1.5}, {\"k\": \"y\", \"v\": "
                "true}]}\n",
     .mapping = "{\"row\": \"id\", \"timestamp\": \"7\", \"cells\": {\"f:all\": \"$\", \"f:one\": \"$.o.q[1]\", \"g:{item.k}\": "
                "{\"each\": "
                "\"$.l\", "
                "\"value\": \"item.v\"}, \"f:m\": \"$['o'].q[0]\"}}"},
    {.format = "jsonl",
     .content = "{\"data\": [{\"id\": 1, \"n\": 2}, {\"id\": 3, \"n\": 4}]}",
     .mapping = "{\"rows\": \"$.data\", \"row\": \"id\", \"cells\": {\"f:n\": \"number(n) + 1\"}}"},
};

static void test_texts(void **state) {
    (void)state;
    long n = 0;
    for (size_t i = 0; i < countof(texts); i++) n += each_allocation_fails(texts[i].content, read_input, &texts[i]);
    print_message("# %ld allocations failed\n", n);
    assert_true(!ALLOCATIONS_FAIL || n > 300);
}

/* ---- files of a corpus, of which some are refused ---- */

struct from_file {
    allocating act;
    struct input in;
    struct buf content;
};

static long of_corpus(const char *name, const char *format, allocating act) {
    char folder[100], path[400];
    struct dirent *d;
    long n = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while ((d = readdir(dir)))
        if (d->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
            struct input in = {.format = format, .path = path};
            struct err err = {0};
            act(&in, &err);
            if (!err.code) n += each_allocation_fails(path, act, &in);
        }
    closedir(dir);
    return n;
}

static void test_files(void **state) {
    (void)state;
    static const char *const formats[][2] = {{"hfile", "hfile"}, {"seqfile", "seqfile"}, {"wal", "wal"},
                                             {"cells", "cells"}, {"jsonl", "jsonl"},     {"csv", NULL}};
    long n = 0;
    for (size_t i = 0; i < countof(formats); i++) n += of_corpus(formats[i][0], formats[i][1], read_input);
    print_message("# %ld allocations failed\n", n);
    assert_true(!ALLOCATIONS_FAIL || n > 300);
}

/* ---- text and messages ---- */

static char *text_of(const void *arg, size_t *n) {
    const struct input *in = arg;
    struct err err = {0};
    long countdown = allocations.countdown;
    allocations.countdown = 0; /* that a file can be read is not what is tried */
    char *text = fs_read_text(in->path, 1 << 20, n, &err);
    assert_string_equal(err.text, "");
    allocations.countdown = countdown;
    return text;
}

static uint64_t use_table(struct table *t, struct err *err) {
    struct partitioning copy;
    struct buf text = {0};
    uint64_t sum = 0;
    if (partitioning_copy(&t->partitioning, &copy, err)) return 0;
    struct placement *p = partitioning_describe(&copy, &text, err) ? NULL : placement_new(&copy, err);
    if (p) sum = text.n + t->n_families + copy.count + strlen(t->ddl);
    placement_free(p);
    partitioning_free(&copy);
    buf_free(&text);
    return sum;
}

static uint64_t parse_ddl(const void *arg, struct err *err) {
    size_t n;
    char *text = text_of(arg, &n);
    struct table t;
    uint64_t sum = 0;
    if (!ddl_parse("x.sql", text, n, &t, err)) {
        sum = use_table(&t, err);
        table_free(&t);
    }
    free(text);
    return sum;
}

static uint64_t account_of(const struct manifest *m, struct err *err) {
    struct account a;
    struct account_run runs[2] = {{.name = "one", .directory = "/one", .m = m}, {.name = "two", .directory = "/two", .m = m}};
    uint64_t sum = account_make(runs, 2, &a, err) ? 0 : 1 + a.n_problems + a.n_sources;
    account_free(&a);
    return sum;
}

static uint64_t parse_manifest(const void *arg, struct err *err) {
    size_t n;
    char *text = text_of(arg, &n), *again = NULL;
    struct manifest m;
    uint64_t sum = 0;
    if (!manifest_parse("m", text, n, &m, err)) {
        manifest_order_make(&m);
        if ((again = manifest_print(&m, err))) sum = strlen(again) + account_of(&m, err);
        free(again);
        manifest_free(&m);
    }
    free(text);
    return err->code ? 0 : sum;
}

static uint64_t parse_descriptor(const void *arg, struct err *err) {
    size_t n;
    char *text = text_of(arg, &n);
    struct hbase_table t;
    uint64_t sum = 0;
    if (!hbase_table_parse(bytes_of(text, n), &t, err)) {
        sum = 1 + t.n_families;
        hbase_table_free(&t);
    }
    free(text);
    return sum;
}

static uint64_t parse_snapshot(const void *arg, struct err *err) {
    size_t n;
    char *text = text_of(arg, &n);
    struct snapshot s = {0};
    struct bytes message = bytes_of(text + 1, n - 1);
    int rc = -1;
    if (n && text[0] % 3 == 0) rc = snapshot_info_parse(message, &s, err);
    if (n && text[0] % 3 == 1) rc = snapshot_manifest_parse(message, &s, err);
    uint64_t sum = rc ? 0 : 1 + s.n_regions + s.table.n_families;
    snapshot_free(&s);
    free(text);
    if (rc && !err->code) err_set(err, ERR_INPUT, "not tried");
    return sum;
}

static void test_documents(void **state) {
    (void)state;
    static const struct {
        const char *corpus;
        allocating act;
    } documents[] = {
        {"ddl", parse_ddl}, {"manifest", parse_manifest}, {"descriptor", parse_descriptor}, {"snapshot", parse_snapshot}};
    long n = 0;
    for (size_t i = 0; i < countof(documents); i++) n += of_corpus(documents[i].corpus, NULL, documents[i].act);
    print_message("# %ld allocations failed\n", n);
    assert_true(!ALLOCATIONS_FAIL || n > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_documents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
