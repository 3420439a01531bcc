/* The end of a run that writes a dataset: its manifest, and everything under its final name. */
#include "cmd/common/session.h"

#include "base/fs.h"
#include "engine/rules_text.h"

#include <malloc.h>
#include <stdlib.h>

static int list_inputs(struct manifest *m, const struct input_list *in, struct err *err) {
    m->inputs = calloc(in->n + 1, sizeof *m->inputs);
    if (!m->inputs) return err_nomem(err, in->n * sizeof *m->inputs, "the manifest");
    for (uint32_t i = 0; i < in->n; i++) {
        const struct load_input *l = &in->inputs[i];
        const char *unread = l->files ? "hfile" : "dataset"; /* nothing in it; merged without reading it as an input */
        char *path = input_full_path(l, err);
        if (!path) return -1;
        struct manifest_input *made = &m->inputs[m->n_inputs++];
        *made = (struct manifest_input){.path = path,
                                        .format = l->format ? l->format->name : unread,
                                        .file_bytes = l->file_bytes,
                                        .mtime_ns = l->mtime_ns,
                                        .records = l->records,
                                        .earlier = l->earlier,
                                        .tally = l->tally};
        memcpy(made->checksum, l->checksum, sizeof made->checksum);
    }
    return 0;
}

static int list_families(const struct manifest *m, char ***names, size_t *n, struct err *err) {
    *n = 0;
    *names = calloc(m->table.n_families + 1, sizeof **names);
    if (!*names) return err_nomem(err, 0, "the list of families");
    for (size_t i = 0; i < m->n_files; i++)
        if (i == 0 || m->files[i].family != m->files[i - 1].family) (*names)[(*n)++] = m->table.families[m->files[i].family].name;
    return 0;
}

static int describe_rules(const struct session *s, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < s->table.n_families; i++) {
        if (buf_printf(out, err, "%s%s: ", i ? "; " : "", s->table.families[i].name)) return -1;
        if (rules_text_print(&s->table.families[i].rules, s->kind, out, err)) return -1;
    }
    return buf_put_byte(out, 0, err);
}

/* Waiting for the disk, not computing: more at a time than there are processors. */
static int sync_files(const struct session *s, const struct manifest *m, struct err *err) {
    char **paths = calloc(m->n_files + 1, sizeof *paths);
    if (!paths) return err_nomem(err, m->n_files * sizeof *paths, "the list of files");
    size_t n = 0;
    for (size_t i = 0; i < m->n_files; i++)
        if (m->files[i].taken != LINK_HARD) paths[n++] = m->files[i].path;
    int rc = outdir_sync_files(&s->out, paths, n, 8, err);
    free(paths);
    return rc;
}

int session_publish(struct session *s, const struct input_list *in, struct build_result *r, bool compacted,
                    const char *rules_before, struct err *err) {
    struct manifest m = {.settings = s->settings,
                         .now_ms = s->job.now_ms,
                         .now_given = s->o.resources.now_given,
                         .table = s->table,
                         .ledger = r->ledger,
                         .pending = s->pending,
                         .n_pending = s->n_pending,
                         .files = r->files.files,
                         .n_files = r->files.n};
    struct buf rules = {0};
    char **families = NULL, *text = NULL;
    size_t n = 0;
    int rc = -1;
    if (stop_check(&s->stop, err) || ledger_check(&r->ledger, err)) return -1;
    if (s->open_families && manifest_sort_families(&m, err)) return -1;
    if (compacted ? describe_rules(s, &rules, err) : rules_before && buf_put(&rules, rules_before, strlen(rules_before) + 1, err))
        goto out;
    m.rules = (char *)rules.p;
    m.tool = fs_printf(err, "%s %s", s->about->name, obkv_version);
    if (!m.tool || list_inputs(&m, in, err)) goto out;
    malloc_trim(0); /* what the work left goes back before the manifest is built */
    manifest_sort_files(&m);
    if (sync_files(s, &m, err) || list_families(&m, &families, &n, err) || !(text = manifest_print(&m, err))) goto out;
    rc = outdir_publish(&s->out, families, n, text, err);
out:
    for (size_t i = 0; i < m.n_inputs; i++) free(m.inputs[i].path);
    free(m.inputs);
    free(m.tool);
    free(families);
    free(text);
    buf_free(&rules);
    return rc;
}
