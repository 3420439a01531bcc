/* Writes the results of plan and simulate: files in a directory, each complete under its name or not there, and one report on
 * standard output, as text or JSON. The directory is checked before long work begins. */
#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report.h"
#include "cmd/common/result.h"
#include "cmd/common/environment.h"
#include "cmd/split/plan/split_result.h"
#include "dataset/dataset_open.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

int split_result_check(const struct options *o, const char *of, const char *file, struct err *err) {
    struct stat st;
    if (!o->out.dir || stat(o->out.dir, &st)) return 0; /* it is made */
    if (!S_ISDIR(st.st_mode)) return err_set(err, ERR_OUTPUT, "--output %s: exists and is not a directory", o->out.dir);
    int there = dataset_is(o->out.dir, err);
    if (there > 0)
        err_set(err, ERR_USAGE, "%s holds a dataset or an export: choose another directory for the %s", o->out.dir, of);
    if (there) return -1;
    char *path = fs_join(o->out.dir, file, err);
    there = path ? fs_exists(path, err) : -1;
    free(path);
    if (there > 0 && !o->out.overwrite)
        return err_set(err, ERR_USAGE, "%s already holds a %s: use --overwrite to replace it", o->out.dir, of);
    return there < 0 ? -1 : 0;
}

int split_result_put(const char *dir, const char *name, struct bytes text, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_replace_file(path, text, err) : -1;
    free(path);
    return rc;
}

int split_result_put_json(const char *dir, const char *name, json_t *j, struct err *err) {
    char *text = json_memory_dump(j, JSON_INDENT(2), name, err);
    int rc = text ? split_result_put(dir, name, bytes_str(text), err) : -1;
    free(text);
    return rc ? -1 : fs_fsync_path(dir, err);
}

static bool is_plain(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("_-:", c));
}

int split_result_put_binary(struct buf *out, struct bytes row, struct err *err) {
    for (size_t i = 0; i < row.n; i++)
        if (is_plain(row.p[i]) ? buf_put_byte(out, row.p[i], err) : buf_printf(out, err, "\\x%02X", row.p[i])) return -1;
    return buf_put_byte(out, '\n', err);
}

int split_result_print(struct environment *env, const struct split_report *r, struct err *err) {
    struct buf text = {0};
    bool gone = false;
    int rc = 0;
    if (environment_documents(env)) rc = report_json_put(&env->reporter, NULL, r->json(r->view), err);
    if (!rc && !env->o.messages.json && !env->o.messages.quiet && !(rc = r->text(r->view, &text, err)))
        rc = stdout_write_named(&env->unpacked, buf_bytes(&text), false, &gone, err);
    buf_free(&text);
    return rc ? -1 : report_flush(err);
}
