/* One output on a server: how it begins there, and how it is published.
 *
 *     OUT/.obkv/writer    who writes: put first; a run that finds that of another one before it publishes ends
 *     OUT/MANIFEST.json   of an output that is replaced: removed next, so it is away while files change
 *     OUT/NAME            all files (remote_outputs.c); those that an earlier run had sent with the same content stay
 *     (a listing)         each file is there, with the tag that the server gave it; what is not part of the output goes
 *     OUT/MANIFEST.json   put last, whole
 */
#include "formats/remote/remote_output.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/fs.h"
#include "dataset/publication.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_put.h"
#include "formats/remote/remote_s3.h"
#include "formats/remote/remote_source.h"
#include "formats/remote/remote_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char writer_name[] = ".obkv/writer", manifest_name[] = "MANIFEST.json";

/* ---- the beginning ---- */

/* Path of NAME of the output on its server. */
static char *server_path(const struct remote_output *out, const char *name, struct err *err) {
    return fs_printf(err, "%s%s%s", out->path, *out->path ? "/" : "", name);
}

static int put_text(struct remote_client *c, const struct remote_output *out, const char *name, const char *text,
                    struct remote_facts *facts, struct err *err) {
    bool kept;
    char *path = server_path(out, name, err);
    const struct remote_put put = {.source = out->source, .path = path, .fd = -1, .text = text, .bytes = strlen(text)};
    int rc = path ? remote_put_file(c, &put, facts, &kept, err) : -1;
    free(path);
    return rc;
}

static int remove_name(struct remote_client *c, const struct remote_output *out, const char *name, struct err *err) {
    char *path = server_path(out, name, err);
    int rc = path ? remote_put_remove(c, out->source, path, err) : -1;
    free(path);
    return rc;
}

/* Who may write but not list uploads does without. */
static int tidy_uploads(struct remote_client *c, const struct remote_output *out, struct err *err) {
    struct err own = {0};
    if (!remote_put_tidy(c, out->source, out->path, &own) || own.code == ERR_INPUT || own.code == ERR_OUTPUT) return 0;
    err_keep(err, &own);
    return -1;
}

static bool same_file(const struct remote_facts *a, const struct remote_facts *b) {
    if (a->bytes != b->bytes) return false;
    if (*a->tag && *b->tag) return remote_headers_same_tag(a->tag, b->tag);
    return a->mtime_ms < 0 || b->mtime_ms < 0 || a->mtime_ms == b->mtime_ms;
}

/* Puts the mark. Without it, files of a run that was killed would belong to nobody. */
static int put_mark(struct remote_client *c, struct remote_output *out, struct err *err) {
    char host[64] = "", text[200], *path = server_path(out, writer_name, err);
    struct remote_facts facts = {-1, -1, ""};
    (void)gethostname(host, sizeof host - 1); /* for people */
    snprintf(text, sizeof text, "%lld %s %ld %p\n", (long long)clock_now_ms(), host, (long)getpid(), (void *)out);
    int rc = path ? put_text(c, out, writer_name, text, &out->writer, err) : -1;
    if (!rc && remote_source_stat(c, out->source, path, &facts, err) < 0) rc = -1;
    if (!rc && !same_file(&facts, &out->writer))
        rc = err_set(err, ERR_BUSY, "%s/%s: is not there after it was written; try again", out->source->shown, path);
    free(path);
    return rc;
}

int remote_output_begin(struct remote_client *c, struct remote_output *out, struct err *err) {
    if (out->begun) return 0;
    if (put_mark(c, out, err) || remove_name(c, out, manifest_name, err) || tidy_uploads(c, out, err)) return -1;
    out->begun = true;
    return 0;
}

/* ---- publication ---- */

struct output_listing {
    const struct remote_output *out;
    struct remote_client *c;
    size_t n_found;
    bool is_ours, *found; /* of each file: it is there */
    char **foreign;       /* of ours, but not of this output */
    size_t n_foreign;
};

static int take_listed(void *arg, const char *path, const struct remote_facts *facts, struct err *err) {
    struct output_listing *l = arg;
    const struct remote_output *out = l->out;
    const size_t n = strlen(out->path);
    if (strncmp(path, out->path, n) || (n && path[n] != '/'))
        return err_set(err, ERR_INPUT, "%s/%s: the server lists '%s', which is not below it", out->source->shown, out->path,
                       path);
    const char *name = path + n + (n != 0);
    if (!strcmp(name, writer_name)) {
        l->is_ours = same_file(facts, &out->writer);
        return 0;
    }
    char *full = fs_printf(err, "%s/%s", out->source->place, path);
    if (!full) return -1;
    const struct remote_file key = {.name = full}, *wanted = &key;
    struct remote_file **f =
        out->n_files ? bsearch(&wanted, out->files, out->n_files, sizeof *out->files, remote_tree_order) : NULL;
    free(full);
    if (f && same_file(facts, &(*f)->facts)) {
        l->n_found += !l->found[f - out->files];
        l->found[f - out->files] = true;
    }
    if (f || !publication_is_ours(name)) return 0;
    if (grow_array(&l->foreign, l->n_foreign, sizeof *l->foreign, "a listing", err)) return -1;
    l->foreign[l->n_foreign] = fs_printf(err, "%s", name);
    return l->foreign[l->n_foreign++] ? 0 : -1;
}

static int refuse_other(const struct remote_output *out, struct err *err) {
    return err_set(err, ERR_BUSY, "%s/%s: another run writes there; nothing was published", out->source->shown, out->path);
}

static int check_listed(const struct output_listing *l, struct err *err) {
    const struct remote_output *out = l->out;
    if (!l->is_ours) return refuse_other(out, err);
    for (size_t i = 0; i < out->n_files; i++)
        if (!l->found[i])
            return err_set(
                err, ERR_BUSY,
                "%s/%s: is not there as it was written (lost, or changed by others); nothing was published: run again, "
                "what is there stays",
                out->source->shown, out->files[i]->path);
    return 0;
}

static int list_output(struct output_listing *l, struct err *err) {
    const struct remote_found found = {take_listed, l};
    const struct remote_output *out = l->out;
    char *path =
        out->source->kind == REMOTE_S3 && *out->path ? fs_printf(err, "%s/", out->path) : fs_printf(err, "%s", out->path);
    int rc = !path                              ? -1
             : out->source->kind == REMOTE_HDFS ? remote_hdfs_list(l->c, out->source, path, &found, err)
                                                : remote_s3_list(l->c, out->source, path, &found, err);
    free(path);
    return rc < 0 ? -1 : 0;
}

static int put_manifest(const char *dir, struct remote_client *c, const struct remote_output *out, struct err *err) {
    char *from = fs_printf(err, "%s/%s" REMOTE_STAGED "%s", dir, out->name, manifest_name);
    char *path = server_path(out, manifest_name, err), *by = server_path(out, ".obkv/MANIFEST.json", err);
    int rc = from && path && by ? 0 : -1, fd = rc ? -1 : open(from, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (!rc && (fd < 0 || fstat(fd, &st))) rc = err_sys(err, ERR_OUTPUT, errno, "%s: cannot open", from);
    if (!rc) {
        const struct remote_put put = {.source = out->source, .path = path, .fd = fd, .bytes = (uint64_t)st.st_size};
        rc = remote_put_whole(c, &put, by, err);
    }
    fd_close(fd);
    free(from);
    free(path);
    free(by);
    return rc;
}

/* Withdraws the manifest if another run has begun since the listing: it may have withdrawn the one before, and writes on. */
static int check_alone(struct remote_client *c, const struct remote_output *out, struct err *err) {
    struct remote_facts facts = {-1, -1, ""};
    char *path = server_path(out, writer_name, err);
    const int is = path ? remote_source_stat(c, out->source, path, &facts, err) : -1;
    free(path);
    if (is < 0 || (is && same_file(&facts, &out->writer))) return is < 0 ? -1 : 0;
    if (remove_name(c, out, manifest_name, err)) return -1;
    return refuse_other(out, err);
}

/* Where the mark cannot be removed, the output is finished all the same, and the next run removes it. */
static void end(struct remote_client *c, const struct remote_output *out) {
    struct err ignored = {0};
    (void)remove_name(c, out, out->source->kind == REMOTE_HDFS ? ".obkv" : writer_name, &ignored);
}

int remote_output_publish(const char *dir, struct remote_client *c, struct remote_output *out, struct err *err) {
    struct output_listing l = {.out = out, .c = c, .found = calloc(out->n_files + 1, 1)};
    if (out->n_files) qsort(out->files, out->n_files, sizeof *out->files, remote_tree_order);
    int rc = l.found ? list_output(&l, err) : err_nomem(err, out->n_files, "a listing");
    if (!rc) rc = check_listed(&l, err);
    for (size_t i = 0; i < l.n_foreign; i++) {
        if (!rc) rc = remove_name(c, out, l.foreign[i], err);
        free(l.foreign[i]);
    }
    free(l.foreign);
    free(l.found);
    if (!rc) rc = tidy_uploads(c, out, err); /* of answers that were lost */
    if (!rc) rc = put_manifest(dir, c, out, err);
    if (!rc) rc = check_alone(c, out, err);
    if (!rc) end(c, out);
    return rc;
}

int remote_output_tidy(struct remote_client *c, const struct remote_output *out, struct err *err) {
    if (tidy_uploads(c, out, err)) return -1;
    end(c, out);
    return 0;
}
