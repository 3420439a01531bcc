/* Signs a finished output, and checks one against its signature. The signed list is verified before anything in it is used. Its
 * lines must name the manifest and then the files of the manifest in their order, so that none can be left out. Relies on
 * libsodium for sums; files are read side by side. */
#include "cmd/common/signature.h"

#include "base/clock.h"
#include "base/fs.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { HASH_BYTES = 64, HEX_BYTES = 2 * HASH_BYTES + 1, LIST_MAX_BYTES = 1 << 30, SIGNATURE_MAX_BYTES = 1 << 16 };
static const char manifest_name[] = "MANIFEST.json";

/* ---- sums ---- */

struct hashing {
    crypto_generichash_state state;
    const struct stop *stop;
};

static int hash_piece(void *arg, const void *p, size_t n, struct err *err) {
    struct hashing *h = arg;
    crypto_generichash_update(&h->state, p, n);
    return stop_check(h->stop, err);
}

static int sum_file(const char *dir, const char *name, const struct stop *stop, char hex[HEX_BYTES], struct err *err) {
    struct hashing h = {.stop = stop};
    unsigned char sum[HASH_BYTES];
    char *path = fs_join(dir, name, err);
    crypto_generichash_init(&h.state, NULL, 0, sizeof sum);
    int rc = path ? fs_read_pieces(path, hash_piece, &h, err) : -1;
    crypto_generichash_final(&h.state, sum, sizeof sum);
    sodium_bin2hex(hex, HEX_BYTES, sum, sizeof sum);
    free(path);
    return rc;
}

struct signature_entry {
    char *path; /* points into the text of a list, or is another's */
    const char *want;
    char hex[HEX_BYTES];
    struct err err;
};

static void sum_entries(const char *dir, struct signature_entry *e, size_t n, const struct job *job) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(job->threads)
    for (size_t i = 0; i < n; i++) (void)sum_file(dir, e[i].path, job->stop, e[i].hex, &e[i].err);
}

/* ---- writing ---- */

/* b2sum escapes such names; a line of ours never needs that. */
static int check_name(const char *path, struct err *err) {
    for (size_t i = 0; i < countof(outdir_signature); i++) {
        size_t n = strlen(outdir_signature[i]);
        if (!strncmp(path, outdir_signature[i], n) && path[n] == '/')
            return err_set(err, ERR_UNSUPPORTED, "a family named %s cannot be signed: the list of checksums has this name",
                           outdir_signature[i]);
    }
    if (!strpbrk(path, "\\\n\r")) return 0;
    return err_set(err, ERR_UNSUPPORTED, "%s: a name with a backslash or a line end cannot be signed", path);
}

static int put_hash_line(struct buf *list, const char *hex, const char *path, struct err *err) {
    return buf_printf(list, err, "%s  %s\n", hex, path);
}

static int put_manifest(struct buf *list, const char *text, struct err *err) {
    unsigned char sum[HASH_BYTES];
    char hex[HEX_BYTES];
    crypto_generichash(sum, sizeof sum, (const unsigned char *)text, strlen(text), NULL, 0);
    sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    return put_hash_line(list, hex, manifest_name, err);
}

static int make_list(const char *dir, struct signature_entry *e, size_t n, const char *manifest, const struct job *job,
                     struct buf *list, struct err *err) {
    sum_entries(dir, e, n, job);
    int rc = put_manifest(list, manifest, err);
    for (size_t i = 0; i < n; i++) {
        err_keep(err, &e[i].err);
        if (!err->code) rc = put_hash_line(list, e[i].hex, e[i].path, err);
    }
    return rc || err->code ? -1 : 0;
}

static int write_beside(const char *dir, const char *name, struct bytes text, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_replace_file(path, text, err) : -1;
    free(path);
    return rc;
}

int signature_write(const struct minisign_secret *key, const char *dir, const struct signed_list *files, const char *const *more,
                    size_t n_more, const char *manifest, const char *tool, const struct job *job, struct err *err) {
    size_t n = files->n + n_more;
    struct signature_entry *e = calloc(n + 1, sizeof *e);
    struct buf list = {0}, signature = {0};
    char comment[MINISIGN_COMMENT_BYTES];
    int rc = e ? 0 : err_nomem(err, n * sizeof *e, "the list of sums");
    for (size_t i = 0; !rc && i < n; i++) {
        const char *path = i < files->n ? files->path(files->arg, i) : more[i - files->n];
        e[i].path = (char *)(uintptr_t)path;
        rc = check_name(path, err);
    }
    if (!rc) rc = make_list(dir, e, n, manifest, job, &list, err);
    snprintf(comment, sizeof comment, "timestamp:%lld\tfile:%s\ttool:%s", (long long)(clock_now_ms() / 1000), outdir_signature[0],
             tool);
    if (!rc) rc = minisign_sign(key, buf_bytes(&list), comment, &signature, err);
    if (!rc) rc = write_beside(dir, outdir_signature[0], buf_bytes(&list), err);
    if (!rc) rc = write_beside(dir, outdir_signature[1], buf_bytes(&signature), err);
    buf_free(&signature);
    buf_free(&list);
    free(e);
    return rc;
}

/* ---- checking ---- */

struct signature_view {
    const char *dir;
    struct minisign_public keys[TRUST_KEYS_MAX];
    unsigned n_keys;
    bool has_earliest;
    int64_t earliest_ms;
    const struct signature_finding *found;
    char *list; /* text; its lines are cut into entries */
    size_t n_list;
    struct minisign signature;
};

static void add_finding(const struct signature_view *v, const char *name, const char *text) {
    struct err none = {0};
    char *path = fs_join(v->dir, name, &none);
    v->found->add(v->found->arg, path ? path : name, text);
    free(path);
}

/* Reads a part of the signature. 1 = read, 0 = it is not there, which was reported; -1. */
static int read_part(struct signature_view *v, const char *name, size_t limit, char **text, size_t *n, struct err *err) {
    char *path = fs_join(v->dir, name, err);
    int rc = path ? fs_exists(path, err) : -1;
    if (!rc) add_finding(v, name, "missing, so nothing here is signed (--config sign-key=writes this file)");
    if (rc > 0 && !(*text = fs_read_text(path, limit, n, err))) rc = -1;
    free(path);
    return rc;
}

/* Keys of several years may be given: the signature says which one it is. */
static bool is_by_a_key(const struct signature_view *v, bool *known) {
    *known = false;
    for (unsigned i = 0; i < v->n_keys; i++) {
        if (memcmp(v->keys[i].id, v->signature.id, sizeof v->keys[i].id)) continue;
        *known = true;
        if (minisign_verify(&v->signature, &v->keys[i], bytes_of(v->list, v->n_list))) return true;
    }
    return false;
}

static bool is_recent(const struct signature_view *v) {
    long long seconds;
    if (!v->has_earliest) return true;
    return sscanf(v->signature.comment, "timestamp:%lld", &seconds) == 1 && seconds >= v->earliest_ms / 1000;
}

/* 1 = the list is what a holder of a key signed; 0: it was reported; -1. */
static int check_signature(struct signature_view *v, struct err *err) {
    char *text = NULL, why[256], id[MINISIGN_ID_BYTES];
    size_t n;
    bool known = false;
    int rc = read_part(v, outdir_signature[0], LIST_MAX_BYTES, &v->list, &v->n_list, err);
    if (rc > 0) rc = read_part(v, outdir_signature[1], SIGNATURE_MAX_BYTES, &text, &n, err);
    if (rc <= 0) return rc;
    bool parsed = minisign_parse(text, &v->signature), good = parsed && is_by_a_key(v, &known);
    free(text);
    minisign_id(v->signature.id, id);
    if (!parsed)
        snprintf(why, sizeof why, "not a signature of minisign");
    else if (!known)
        snprintf(why, sizeof why, "signed with key %s, which --verify-key does not name", id);
    else if (!good)
        snprintf(why, sizeof why, "forged or damaged: it is not key %s's signature of %s", id, outdir_signature[0]);
    else if (!is_recent(v))
        snprintf(why, sizeof why, "signed before --signed-after (%.100s)", v->signature.comment);
    else
        return 1;
    add_finding(v, outdir_signature[1], why);
    return 0;
}

/* Cuts the next line, `sum  path`; false: it is none. */
static bool next_entry(char **at, struct signature_entry *e) {
    char *line = *at, *end = strchr(line, '\n');
    if (!end || end - line < HEX_BYTES + 2 || strncmp(line + HEX_BYTES - 1, "  ", 2)) return false;
    *end = line[HEX_BYTES - 1] = 0;
    *e = (struct signature_entry){.path = line + HEX_BYTES + 1, .want = line};
    *at = end + 1;
    return true;
}

/* The manifest, then its files in its order; then what the manifest does not list. false: another list. */
static bool cut_list(char *at, const struct signed_list *files, struct signature_entry *e, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!next_entry(&at, &e[i])) return false;
        const char *want = i == 0 ? manifest_name : i <= files->n ? files->path(files->arg, i - 1) : e[i].path;
        if (strcmp(e[i].path, want) != 0) return false;
        if (i > files->n && (!*want || *want == '.' || strchr(want, '/'))) return false; /* is beside the manifest */
    }
    return true;
}

static int compare_hashes(struct signature_view *v, struct signature_entry *e, size_t n, struct err *err) {
    for (size_t i = 0; i < n; i++) {
        if (e[i].err.code == ERR_INPUT && e[i].err.sys == ENOENT)
            add_finding(v, e[i].path, "signed, but missing");
        else if (e[i].err.code)
            err_keep(err, &e[i].err);
        else if (strcmp(e[i].hex, e[i].want) != 0)
            add_finding(v, e[i].path, "its content is not what was signed");
    }
    return err->code ? -1 : 0;
}

static size_t count_lines(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* Checks the first `most` lines. */
static int check_files(struct signature_view *v, const struct signed_list *files, size_t most, const struct job *job,
                       struct err *err) {
    size_t lines = count_lines(v->list), n = lines < most ? lines : most;
    struct signature_entry *e = calloc(lines + 1, sizeof *e);
    if (!e) return err_nomem(err, lines * sizeof *e, "the list of sums");
    int rc = 0;
    if (lines <= files->n || !cut_list(v->list, files, e, lines)) {
        add_finding(v, outdir_signature[0], "does not list the same files as the manifest");
    } else {
        sum_entries(v->dir, e, n, job);
        rc = compare_hashes(v, e, n, err);
    }
    free(e);
    return rc;
}

int signature_check(const struct trust_options *trust, const char *dir, const struct signed_list *files, bool quick,
                    const struct job *job, const struct signature_finding *found, struct err *err) {
    struct signature_view v = {
        .dir = dir, .found = found, .has_earliest = trust->signed_after_given, .earliest_ms = trust->signed_after_ms};
    for (; v.n_keys < trust->verify_keys.n; v.n_keys++)
        if (minisign_read_public(trust->verify_keys.item[v.n_keys], &v.keys[v.n_keys], err)) return -1;
    int rc = v.n_keys ? check_signature(&v, err) : 0;
    if (rc > 0) rc = check_files(&v, files, quick ? 1 : SIZE_MAX, job, err);
    free(v.list);
    return rc;
}

static void keep_first(void *arg, const char *path, const char *text) {
    err_set(arg, ERR_INPUT, "%s: %s", path, text);
}

int signature_demand(const struct trust_options *trust, const char *dir, const struct signed_list *files, const struct job *job,
                     struct err *err) {
    struct err why = {0};
    const struct signature_finding found = {keep_first, &why};
    if (signature_check(trust, dir, files, false, job, &found, err)) return -1;
    err_keep(err, &why);
    return err->code ? -1 : 0;
}

int signature_is_by(const struct minisign_secret *key, const char *dir, const struct signed_list *files, const struct job *job,
                    struct err *err) {
    struct err why = {0};
    const struct signature_finding found = {keep_first, &why};
    struct signature_view v = {.dir = dir, .found = &found, .n_keys = 1};
    memcpy(v.keys[0].id, key->id, sizeof key->id);
    memcpy(v.keys[0].key, key->secret + sizeof key->secret - sizeof v.keys[0].key, sizeof v.keys[0].key);
    int rc = check_signature(&v, err);
    if (rc > 0) rc = check_files(&v, files, 1, job, err);
    free(v.list);
    return rc < 0 ? -1 : !why.code;
}

static const char *path_of_file(const void *m, size_t i) {
    return ((const struct manifest *)m)->files[i].path;
}

static const char *path_of_pack(const void *m, size_t i) {
    return ((const struct manifest *)m)->packs[i].path;
}

struct signed_list signature_list(const struct manifest *m) {
    if (m->n_packs) return (struct signed_list){m->n_packs, path_of_pack, m};
    return (struct signed_list){m->n_files, path_of_file, m};
}
