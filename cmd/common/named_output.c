/* Standard output of a run whose inputs are on servers. What is printed names the paths where they are shown; the reader gets the
 * URLs. Whole lines pass through here, so that no path is cut in two. Each is passed on at once: what the real stream refuses,
 * fails here, where report_flush looks for it. */

#include "base/buf.h"
#include "base/plain.h"
#include "cmd/common/named_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named_output {
    FILE *real, *shown;
    const struct path_names *names;
    struct buf rest; /* of a line that has not ended */
};

static int put(struct named_output *o, struct bytes text) {
    struct buf named = {0};
    struct err err = {0};
    int rc = path_names_put(o->names, text, &named, &err);
    if (!rc && named.n && fwrite(named.p, 1, named.n, o->real) != named.n) rc = -1;
    if (!rc && fflush(o->real)) rc = -1;
    buf_free(&named);
    return rc;
}

static ssize_t take(void *arg, const char *p, size_t n) {
    struct named_output *o = arg;
    struct err err = {0};
    const char *end = memrchr(p, '\n', n);
    size_t whole = end ? (size_t)(end - p) + 1 : 0;
    int rc = buf_put(&o->rest, p, end ? whole : n, &err);
    if (!rc && end) {
        rc = put(o, buf_bytes(&o->rest));
        buf_clear(&o->rest);
        if (!rc) rc = buf_put(&o->rest, p + whole, n - whole, &err);
    }
    return rc ? 0 : (ssize_t)n;
}

struct named_output *named_output_begin(const struct path_names *names, struct err *err) {
    struct named_output *o = calloc(1, sizeof *o);
    if (o) {
        *o = (struct named_output){.real = stdout, .names = names};
        o->shown = fopencookie(o, "w", (cookie_io_functions_t){.write = take});
    }
    if (!o || !o->shown) {
        free(o);
        err_nomem(err, BUFSIZ, "standard output");
        return NULL;
    }
    stdout = o->shown;
    return o;
}

void named_output_end(struct named_output *o) {
    if (!o) return;
    stdout = o->real;
    (void)fclose(o->shown); /* report_flush has emptied it */
    if (o->rest.n) (void)put(o, buf_bytes(&o->rest));
    buf_free(&o->rest);
    free(o);
}
