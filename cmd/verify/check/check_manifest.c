/* The manifest of a dataset against itself and against its directory: ledgers, totals and inputs agree, files are named and
 * follow each other as they should, and nothing is there that is not listed. No cell file is opened. */

#include "base/fs.h"
#include "cmd/verify/check/check_manifest.h"
#include "dataset/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct looker {
    const char *dir;
    const struct manifest *m;
    struct check_findings *findings;
    char *name;    /* of the manifest */
    char **listed; /* files or packs */
    size_t n_listed;
};

/* ---- the manifest alone ---- */

static void differ(const struct looker *k, const char *what, struct tally found, struct tally said, const char *who) {
    char a[DIGEST_HEX], b[DIGEST_HEX];
    if (found.cells == said.cells && digest_eq(found.digest, said.digest)) return;
    digest_print(found.digest, a);
    digest_print(said.digest, b);
    check_findings_add(k->findings, FINDING_COUNT, k->name, "%s %llu cells with digest %s, %s %llu with %s", what,
                       (unsigned long long)found.cells, a, who, (unsigned long long)said.cells, b);
}

static void differ_number(const struct looker *k, const char *what, uint64_t found, uint64_t said) {
    if (found != said)
        check_findings_add(k->findings, FINDING_METADATA, k->name, "its files have %llu %s, its totals say %llu",
                           (unsigned long long)found, what, (unsigned long long)said);
}

/* Ledgers, files, totals and inputs must count the same cells. */
static void check_account(const struct looker *k) {
    const struct manifest *m = k->m;
    struct err e = {0};
    struct tally files = {0}, inputs = {0};
    uint64_t bytes = 0, kv_bytes = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        tally_add(&files, m->files[i].tally);
        bytes += m->files[i].file_bytes;
        kv_bytes += m->files[i].kv_bytes;
    }
    for (size_t i = 0; i < m->n_inputs; i++) tally_add(&inputs, m->inputs[i].tally);
    if (ledger_check(&m->ledger, &e)) check_findings_add(k->findings, FINDING_COUNT, k->name, "%s", e.text);
    differ(k, "the files hold", files, *ledger_written(&m->ledger), "the ledger counts as written");
    differ(k, "the files hold", files, m->totals.tally, "its totals say");
    differ(k, "the inputs gave", inputs, m->share.of ? m->share.whole.in : m->ledger.in, "the ledger says");
    differ_number(k, "entries", m->n_files, m->totals.files);
    differ_number(k, "bytes", bytes, m->totals.file_bytes);
    differ_number(k, "KeyValue bytes", kv_bytes, m->totals.kv_bytes);
}

/* family/p00017-000.hfile */
static void check_name(const struct looker *k, const struct manifest_file *f) {
    char want[200];
    const char *family = k->m->table.families[f->family].name, *name = f->path + strlen(family) + 1;
    if (k->m->n_packs) return; /* made of these numbers */
    snprintf(want, sizeof want, "p%05u-%03u.hfile", f->partition, f->number);
    if (strcmp(name, want))
        check_findings_add(k->findings, FINDING_COSMETIC, k->name, "%s holds partition %u, file %u: its name should be %s",
                           f->path, f->partition, f->number, want);
    if (f->misnamed)
        check_findings_add(k->findings, FINDING_METADATA, k->name, "%s: the name of partition %u is %s, not what its entry says",
                           f->path, f->partition, k->m->table.partitioning.names[f->partition]);
}

/* Files of one partition follow each other without overlap, numbered from 0. */
static void check_sequence(const struct looker *k) {
    const struct manifest_file *prev = NULL;
    for (size_t i = 0; i < k->m->n_files; prev = &k->m->files[i++]) {
        const struct manifest_file *f = &k->m->files[i];
        bool same = prev && prev->family == f->family && prev->partition == f->partition;
        check_name(k, f);
        if (f->number != (same ? prev->number + 1 : 0))
            check_findings_add(k->findings, FINDING_METADATA, k->name, "%s: its number is out of sequence", f->path);
        if (prev && (prev->family > f->family || (prev->family == f->family && prev->partition > f->partition)))
            check_findings_add(k->findings, FINDING_METADATA, k->name, "%s: entries are not in the order of partitions", f->path);
        if (bytes_cmp(buf_bytes(&f->first_row), buf_bytes(&f->last_row)) > 0)
            check_findings_add(k->findings, FINDING_ORDER, k->name, "%s: its first row is after its last row", f->path);
        if (same && bytes_cmp(buf_bytes(&prev->last_row), buf_bytes(&f->first_row)) >= 0)
            check_findings_add(k->findings, FINDING_ORDER, k->name, "%s and %s overlap", prev->path, f->path);
    }
}

/* --now is a setting where it was given. Whether a run is the same as an earlier one is decided by settings. */
static void check_now(const struct looker *k) {
    const json_t *now = json_object_get(k->m->settings, "now");
    if (json_is_integer(now) && json_integer_value(now) != k->m->now_ms)
        check_findings_add(k->findings, FINDING_METADATA, k->name, "its settings say --now %lld, it was made at %lld",
                           (long long)json_integer_value(now), (long long)k->m->now_ms);
}

void check_manifest(const char *dir, const struct manifest *m, struct check_findings *findings) {
    struct err none = {0};
    struct looker k = {.dir = dir, .m = m, .findings = findings, .name = fs_join(dir, "MANIFEST.json", &none)};
    if (!m->sealed) check_findings_add(findings, FINDING_DAMAGED, k.name, "edited or damaged: its checksum does not match");
    check_account(&k);
    check_sequence(&k);
    check_now(&k);
    free(k.name);
}

/* ---- the directory ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* HBase bulk-loads every file in a family's directory. */
static int check_entry(const struct looker *k, const char *family, const char *name, struct err *err) {
    char *path = fs_join(family, name, err), *full = path ? fs_join(k->dir, path, err) : NULL;
    int rc = full ? 0 : -1;
    if (!rc && !bsearch(&path, k->listed, k->n_listed, sizeof *k->listed, by_text))
        check_findings_add(k->findings, FINDING_EXTRA, full, "not in the manifest");
    free(full);
    free(path);
    return rc;
}

static int check_family(const struct looker *k, const char *family, const char *path, struct err *err) {
    DIR *d = opendir(path);
    int rc = d ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot read the directory", path);
    for (struct dirent *e; !rc && (e = directory_next(d));) rc = check_entry(k, family, e->d_name, err);
    if (!rc && errno) rc = err_sys(err, ERR_INPUT, errno, "%s: cannot read the directory", path);
    if (d) (void)closedir(d); /* it was only read */
    return rc;
}

static bool is_signature(const char *name) {
    return !strcmp(name, outdir_signature[0]) || !strcmp(name, outdir_signature[1]);
}

static int check_member(const struct looker *k, const char *name, struct err *err) {
    struct stat st;
    char *path = fs_join(k->dir, name, err);
    if (!path) return -1;
    const int there = fs_look(path, &st, err);
    int rc = there < 0 ? -1 : 0;
    bool directory = there == 1 && S_ISDIR(st.st_mode), family = table_family(&k->m->table, bytes_str(name)) >= 0;
    if (rc)
        (void)0; /* what cannot be examined is no finding */
    else if (directory && family)
        rc = check_family(k, name, path, err);
    else if (directory || family || !is_signature(name))
        check_findings_add(k->findings, directory || family ? FINDING_EXTRA : FINDING_COSMETIC, path, "not in the manifest");
    free(path);
    return rc;
}

static int check_members(const struct looker *k, struct err *err) {
    DIR *top = opendir(k->dir);
    int rc = top ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot read the directory", k->dir);
    for (struct dirent *e; !rc && (e = directory_next(top));)
        if (e->d_name[0] != '.' && e->d_name[0] != '_' && strcmp(e->d_name, "MANIFEST.json"))
            rc = check_member(k, e->d_name, err);
    if (!rc && errno) rc = err_sys(err, ERR_INPUT, errno, "%s: cannot read the directory", k->dir);
    if (top) (void)closedir(top); /* it was only read */
    return rc;
}

int check_directories(const char *dir, const struct manifest *m, struct check_findings *findings, struct err *err) {
    struct looker k = {.dir = dir, .m = m, .findings = findings};
    k.n_listed = m->n_packs ? m->n_packs : m->n_files;
    k.listed = calloc(k.n_listed + 1, sizeof *k.listed);
    if (!k.listed) return err_nomem(err, k.n_listed * sizeof *k.listed, "the list of files");
    for (size_t i = 0; i < k.n_listed; i++) k.listed[i] = m->n_packs ? m->packs[i].path : m->files[i].path;
    qsort(k.listed, k.n_listed, sizeof *k.listed, by_text);
    for (size_t i = 1; i < k.n_listed; i++)
        if (!strcmp(k.listed[i - 1], k.listed[i]))
            check_findings_add(findings, FINDING_METADATA, dir, "%s: listed twice in the manifest", k.listed[i]);
    int rc = check_members(&k, err);
    free(k.listed);
    return rc;
}
