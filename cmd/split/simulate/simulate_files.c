/* What `obkv-split simulate -o DIR` leaves beside events.jsonl: all figures, and the first regions for the HBase shell. */
#include "base/fs.h"
#include "cmd/split/simulate/simulate_view.h"

#include <stdlib.h>

static int put_file(const char *dir, const char *name, struct bytes text, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_replace_file(path, text, err) : -1;
    free(path);
    return rc;
}

/* As plan_files.c writes them: Bytes.toBytesBinary takes \xNN. */
static int put_splits(const struct simulate_view *v, const char *dir, struct err *err) {
    struct buf text = {0};
    int rc = 0;
    for (uint32_t i = 0; i < v->r.bounds.n && !rc; i++) {
        const struct buf *row = &v->r.bounds.list[i];
        for (size_t k = 0; k < row->n && !rc; k++) {
            uint8_t c = row->p[k];
            bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("_-:", c));
            rc = plain ? buf_put_byte(&text, c, err) : buf_printf(&text, err, "\\x%02X", c);
        }
        if (!rc) rc = buf_put_byte(&text, '\n', err);
    }
    if (!rc) rc = put_file(dir, "splits.txt", buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}

int simulate_files_write(const struct simulate_view *v, const char *dir, struct err *err) {
    if (fs_mkdirs(dir, err) || put_splits(v, dir, err)) return -1;
    json_t *j = simulate_json_make(v);
    char *text = j ? json_dumps(j, JSON_INDENT(2)) : NULL;
    json_decref(j);
    int rc = text ? put_file(dir, "simulate.json", bytes_str(text), err) : err_nomem(err, 0, "the simulation");
    free(text);
    return rc ? -1 : fs_fsync_path(dir, err);
}
