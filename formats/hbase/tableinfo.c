#include "base/buf.h"
#include "base/fs.h"
#include "formats/hbase/attributes.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/pbuf.h"

#include <stdlib.h>

enum { FILE_MAX_BYTES = 64 << 20 };

/* .tableinfo[.<sequence>[.<bytes>]] */
struct tableinfo {
    char *name;
    int64_t seq;   /* 0: the name has none */
    int64_t bytes; /* -1: the name does not tell */
};

struct tableinfo_list {
    struct tableinfo *files;
    size_t n;
};

/* false: not one. */
static bool parse_name(const char *name, struct tableinfo *out) {
    static const char start[] = ".tableinfo";
    size_t n = sizeof start - 1;
    *out = (struct tableinfo){.bytes = -1};
    if (strncmp(name, start, n) != 0) return false;
    if (!name[n]) return true;
    if (name[n] != '.') return false;
    const char *seq = name + n + 1, *dot = strchr(seq, '.');
    size_t seq_n = dot ? (size_t)(dot - seq) : strlen(seq);
    if (!attribute_number(bytes_of(seq, seq_n), &out->seq) || out->seq < 0) return false;
    return !dot || (attribute_number(bytes_str(dot + 1), &out->bytes) && out->bytes >= 0);
}

static int visit(void *arg, const char *name, bool is_dir, struct err *err) {
    struct tableinfo_list *l = arg;
    struct tableinfo t;
    if (is_dir || !parse_name(name, &t)) return 0;
    if (grow_array(&l->files, l->n, sizeof *l->files, "table descriptors", err)) return -1;
    t.name = fs_printf(err, "%s", name);
    if (!t.name) return -1;
    l->files[l->n++] = t;
    return 0;
}

static int newest_first(const void *a, const void *b) {
    const struct tableinfo *x = a, *y = b;
    if (x->seq != y->seq) return x->seq < y->seq ? 1 : -1;
    return strcmp(y->name, x->name);
}

static int parse_file(struct bytes content, struct hbase_table *out, struct err *err) {
    if (pbuf_take(&content)) return hbase_table_parse(content, out, err);
    /* HTableDescriptor wrote its version, a small number, as i32 */
    if (content.n >= PBUF_BYTES && !content.p[0] && !content.p[1] && !content.p[2])
        return err_set(err, ERR_UNSUPPORTED,
                       "a table described as HBase 0.94 and older did (no PBUF): give the folders with its store files, "
                       "REGION/FAMILY, and the version rules by --versions, --ttl, …");
    return err_set(err, ERR_INPUT, "does not start with PBUF");
}

/* 1 read, 0 half written, -1 error. */
static int read_file(const char *dir, const struct tableinfo *t, struct hbase_table *out, struct err *err) {
    size_t n;
    int rc = -1;
    char *path = fs_join(dir, t->name, err);
    char *text = path ? fs_read_text(path, FILE_MAX_BYTES, &n, err) : NULL;
    if (text && t->bytes >= 0 && (uint64_t)t->bytes != n)
        rc = 0;
    else if (text)
        rc = parse_file(bytes_of(text, n), out, err) ? err_prefix(err, "%s", path) : 1;
    free(text);
    free(path);
    return rc;
}

int hbase_tableinfo_read(const char *dir, struct hbase_table *out, struct err *err) {
    struct tableinfo_list l = {0};
    int rc = folder_each(dir, visit, &l, err) < 0 ? -1 : 0;
    *out = (struct hbase_table){0};
    if (l.n) qsort(l.files, l.n, sizeof *l.files, newest_first);
    for (size_t i = 0; !rc && i < l.n; i++) rc = read_file(dir, &l.files[i], out, err);
    if (!rc && l.n)
        rc = err_set(err, ERR_INPUT, "%s/%s: its length is not the one in its name, and no older one is whole", dir,
                     l.files[0].name);
    for (size_t i = 0; i < l.n; i++) free(l.files[i].name);
    free(l.files);
    return rc;
}
