/* Publishes a dataset whose files are written: they are synced, many at a time, then the manifest is made and read back, and
 * all of them take their names in one step (outdir_publish). Programs and the library end here. */
#include "dataset/dataset_publish.h"

#include "dataset/manifest_order.h"

#include <malloc.h>
#include <stdlib.h>

static int list_families(const struct manifest *m, char ***names, size_t *n, struct err *err) {
    *n = 0;
    *names = calloc(m->table.n_families + countof(outdir_signature) + 1, sizeof **names);
    if (!*names) return err_nomem(err, 0, "the list of families");
    for (size_t i = 0; i < m->n_files; i++)
        if (i == 0 || m->files[i].family != m->files[i - 1].family) (*names)[(*n)++] = m->table.families[m->files[i].family].name;
    return 0;
}

/* Waiting for the disk, not computing: more at a time than there are processors. */
static int sync_files(const struct outdir *o, const struct manifest *m, unsigned threads, struct err *err) {
    const size_t files = m->n_packs ? 0 : m->n_files;
    char **paths = calloc(files + m->n_packs + 1, sizeof *paths);
    if (!paths) return err_nomem(err, m->n_files * sizeof *paths, "the list of files");
    size_t n = 0;
    for (size_t i = 0; i < m->n_packs; i++) paths[n++] = m->packs[i].path;
    for (size_t i = 0; i < files; i++)
        if (m->files[i].taken != LINK_HARD && !m->files[i].offset) paths[n++] = m->files[i].path;
    int rc = outdir_sync_files(o, paths, n, threads, err);
    free(paths);
    return rc;
}

int dataset_publish(struct outdir *o, struct manifest *m, unsigned threads, const struct before_publish *last, struct err *err) {
    char **names = NULL, *text = NULL;
    size_t n = 0;
    malloc_trim(0); /* what the work left goes back before the manifest is built */
    manifest_order_make(m);
    int rc = list_families(m, &names, &n, err) || !(text = manifest_print(m, err)) ? -1 : 0;
    if (!rc && last && last->elsewhere) n = 0;
    if (!rc && n) rc = sync_files(o, m, threads, err);
    for (size_t i = 0; !rc && last && last->signs && i < countof(outdir_signature); i++)
        names[n++] = (char *)(uintptr_t)outdir_signature[i];
    if (!rc && last) rc = last->run(last->arg, m, text, err);
    if (!rc) rc = outdir_publish(o, names, n, text, err);
    free(names);
    free(text);
    return rc;
}
