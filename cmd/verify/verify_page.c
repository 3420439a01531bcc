/* obkv-verify page: one page of the results that several steps have printed with --json, such as those of a migration, in their
 * order. A file may hold several documents, and lines that belong to the document after them (diff, target). */
#include "base/fs.h"
#include "cmd/common/page.h"
#include "cmd/verify/verify.h"
#include "engine/memory_plan.h"

#include <stdlib.h>

enum { RESULT_MOST = 32 << 20 }; /* bytes of a file: a result with a hundred thousand partitions */

static int add_file(struct environment *env, const char *path, struct list_room *room, struct err *err) {
    size_t n = 0;
    if (list_room_take_file(room, path, "the results take", err)) return -1;
    char *text = fs_read_text(path, RESULT_MOST, &n, err);
    int rc = text ? page_add_results(env->reporter.page, path, bytes_of(text, n), err) : -1;
    free(text);
    return rc;
}

int verify_page(struct environment *env, struct intake *intake, int *code, struct err *err) {
    (void)intake;
    *code = 0;
    if (!env->reporter.page) return err_set(err, ERR_USAGE, "page needs --html FILE, where the page is written");
    struct list_room room = memory_room(&env->job, MEMORY_RESULTS);
    for (int i = 0; i < env->o.n_inputs; i++)
        if (add_file(env, env->o.inputs[i], &room, err)) return -1;
    return 0;
}
