/* Any bytes as a manifest: refused with a reason, or read into something that every user of a manifest can rely on, and
 * that comes out the same when it is printed and read once more. */
#include "fuzz.h"

#include "dataset/account.h"
#include "dataset/manifest.h"
#include "dataset/manifest_order.h"
#include "table/placement.h"

#include <stdlib.h>

/* Requires that names are safe for an output directory, which removes and opens what lies there. */
static void check_names(const struct manifest *m) {
    for (uint32_t i = 0; i < m->table.n_families; i++) {
        const char *name = m->table.families[i].name;
        require(name[0] && name[0] != '.' && !strchr(name, '/'));
        require(table_family(&m->table, bytes_str(name)) == (int)i);
    }
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i];
        require(f->family < m->table.n_families && f->partition < m->table.partitioning.count);
        const char *name = m->table.families[f->family].name, *slash = strchr(f->path, '/');
        require(slash && !strncmp(f->path, name, (size_t)(slash - f->path)) && !name[slash - f->path]);
        require(slash[1] && slash[1] != '.' && !strchr(slash + 1, '/') && strlen(f->checksum) == 16);
    }
    for (size_t i = 0; i < m->n_inputs; i++) require(m->inputs[i].path && m->inputs[i].format);
}

/* Each bound is the first row of the next partition. */
static void check_partitioning(const struct partitioning *p) {
    struct err err = {0};
    struct placement *pl = placement_new(p, &err);
    require(pl || err.code != ERR_NONE);
    bool simple = p->kind == PARTITION_RANGE && p->by == BY_ROW && !p->prefix.on && !p->k_pad;
    for (uint32_t i = 0, index; pl && simple && i < p->count && p->bounds[i].p; i++) {
        enum place_result r = placement_of(pl, p->bounds[i], &index);
        require(i + 1 == p->count ? r == PLACE_NO_PARTITION : r == PLACE_OK && index == i + 1);
    }
    for (uint32_t i = 0; i < p->count; i++) require(p->names[i] != NULL);
    placement_free(pl);
}

/* Accounts for the manifest beside itself, whatever it claims to have read. */
static void check_account(const struct manifest *m) {
    struct err err = {0};
    struct account a;
    struct account_run runs[2] = {{.name = "one", .directory = "/one", .m = m}, {.name = "two", .directory = "/two", .m = m}};
    require(account_make(runs, 2, &a, &err) == 0);
    require(a.n_problems || !m->n_files); /* the same manifest twice */
    account_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct manifest m, back;
    struct err err = {0};
    if (manifest_parse("fuzz", (const char *)data, size, &m, &err)) {
        require(err.code == ERR_INPUT || err.code == ERR_UNSUPPORTED);
        require(!strncmp(err.text, "fuzz: ", 6) && !m.files && !m.table.families);
        return 0;
    }
    check_names(&m);
    check_partitioning(&m.table.partitioning);
    check_account(&m);
    manifest_order_make(&m);
    char *text = manifest_print(&m, &err);
    require(text != NULL);
    require(manifest_parse("again", text, strlen(text), &back, &err) == 0 && back.sealed);
    char *again = manifest_print(&back, &err);
    require(again && !strcmp(text, again));
    manifest_free(&m);
    manifest_free(&back);
    free(text);
    free(again);
    return 0;
}
