/* The parts of a manifest as JSON: single values, tallies and ledgers, partitions that wait, and cutting a printed manifest into
 * lines. Every number and string is checked when it is read: a manifest comes from a disk, and a wrong one is an error with its
 * place. */
#include "dataset/manifest_json.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

json_t *manifest_hex(struct bytes b) {
    char *s = json_memory_alloc(b.n * 2 + 1);
    if (!s) return NULL;
    hex_write((uint8_t *)s, b);
    json_t *j = json_stringn(s, b.n * 2);
    json_memory_free(s);
    return j;
}

static int nibble(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err) {
    const char *s = json_string_value(j);
    size_t n = json_string_length(j);
    if (!s || n % 2) return err_set(err, ERR_INPUT, "manifest: hex text expected");
    out->n = 0;
    if (buf_reserve(out, n / 2 + 1, err)) return -1;
    for (size_t i = 0; i < n; i += 2) {
        int hi = nibble(s[i]), lo = nibble(s[i + 1]);
        if (hi < 0 || lo < 0) return err_set(err, ERR_INPUT, "manifest: '%.20s' is not hex", s);
        out->p[out->n++] = (uint8_t)(hi << 4 | lo);
    }
    return 0;
}

json_t *manifest_text(const char *s) {
    if (!s) return json_null();
    json_t *j = json_string(s);
    return j ? j : json_new(JSON("hex", manifest_hex(bytes_str(s))));
}

int manifest_text_parse(const json_t *j, const char *what, char **out, struct err *err) {
    struct buf b = {0};
    *out = NULL;
    if (!j || json_is_null(j)) return 0;
    if (json_is_string(j)) {
        if (buf_put(&b, json_string_value(j), json_string_length(j), err)) goto fail;
    } else if (manifest_hex_parse(json_object_get(j, "hex"), &b, err)) {
        goto fail;
    }
    if (b.n && memchr(b.p, 0, b.n)) {
        err_set(err, ERR_INPUT, "manifest: %s holds a zero byte", what);
        goto fail;
    }
    if (buf_put_byte(&b, 0, err)) goto fail;
    *out = (char *)b.p;
    return 0;
fail:
    buf_free(&b);
    return -1;
}

bool manifest_text_is_safe(const char *path, const char *family) {
    const size_t n = strlen(family);
    if (strncmp(path, family, n) != 0 || path[n] != '/') return false;
    return path[n + 1] && path[n + 1] != '.' && !strchr(path + n + 1, '/');
}

static int take_int(const json_t *object, const char *key, json_int_t min, json_int_t max, json_int_t *out, struct err *err) {
    const json_t *j = json_object_get(object, key);
    *out = json_integer_value(j);
    if (!j || (json_is_integer(j) && *out >= min && *out <= max)) return 0;
    return err_set(err, ERR_INPUT, "manifest: %s is not a number from %lld to %lld", key, (long long)min, (long long)max);
}

int manifest_i64(const json_t *object, const char *key, int64_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, INT64_MIN, INT64_MAX, &v, err);
    *out = v;
    return rc;
}

int manifest_u64(const json_t *object, const char *key, uint64_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, 0, INT64_MAX, &v, err);
    *out = (uint64_t)v;
    return rc;
}

int manifest_u32(const json_t *object, const char *key, uint32_t *out, struct err *err) {
    json_int_t v;
    int rc = take_int(object, key, 0, UINT32_MAX, &v, err);
    *out = (uint32_t)v;
    return rc;
}

json_t *manifest_tally(struct tally t) {
    char hex[DIGEST_HEX];
    digest_print(t.digest, hex);
    return json_new(JSON("cells", t.cells), JSON("digest", hex));
}

int manifest_tally_parse(const json_t *j, struct tally *t, struct err *err) {
    const char *hex = json_string_value(json_object_get(j, "digest"));
    if (manifest_u64(j, "cells", &t->cells, err)) return -1;
    if (hex && digest_parse(hex, &t->digest)) return 0;
    return err_set(err, ERR_INPUT, "manifest: a digest is malformed");
}

static bool is_part(int cause, enum verdict verdict) {
    return cause_verdict((enum cause)cause) == verdict && cause_name((enum cause)cause);
}

json_t *manifest_ledger_drop(const struct ledger *l, enum verdict v) {
    json_t *j = manifest_tally(l->dropped[v]), *by = json_object();
    for (int c = 0; c < CAUSE_COUNT && !l->unparted; c++)
        if (is_part(c, v)) json_object_set_new(by, cause_name((enum cause)c), manifest_tally(l->by[c]));
    if (json_object_size(by))
        json_put(j, JSON("by", by));
    else
        json_decref(by);
    return j;
}

json_t *manifest_ledger_cells(const struct ledger *l) {
    json_t *cells = json_new(JSON("in", manifest_tally(l->in)), JSON("rejected", manifest_tally(l->rejected)));
    if (l->made.cells) json_object_set_new(cells, "made", manifest_tally(l->made));
    if (l->not_selected.cells) json_object_set_new(cells, "not_selected", manifest_tally(l->not_selected));
    for (enum verdict v = 0; v < VERDICT_COUNT; v++) json_object_set_new(cells, verdict_name(v), manifest_ledger_drop(l, v));
    return cells;
}

json_t *manifest_unread(const struct unread_count *u) {
    return json_new(JSON("cells", u->cells), JSON("uncounted", u->files));
}

json_t *manifest_ledger_json(const struct ledger *l) {
    json_t *j = json_pack("{s:{s:I, s:I, s:I, s:I}, s:o}", "records", "read", (json_int_t)l->records_read, "accepted",
                          (json_int_t)l->records_accepted, "rejected", (json_int_t)l->records_rejected, "skipped",
                          (json_int_t)l->records_skipped, "cells", manifest_ledger_cells(l));
    const struct lost_count *lost = &l->lost;
    if (lost->places)
        json_put(j, JSON("lost",
                         json_new(JSON("places", lost->places), JSON("cells", lost->cells), JSON("uncounted", lost->uncounted))));
    if (l->unread.cells || l->unread.files) json_object_set_new(j, "unread", manifest_unread(&l->unread));
    return j;
}

static int lost_parse(const json_t *j, struct lost_count *out, struct err *err) {
    if (!j) return 0;
    return manifest_u64(j, "places", &out->places, err) || manifest_u64(j, "cells", &out->cells, err) ||
                   manifest_u64(j, "uncounted", &out->uncounted, err)
               ? -1
               : 0;
}

static int selection_parse(const json_t *j, const json_t *cells, struct ledger *l, struct err *err) {
    const json_t *made = json_object_get(cells, "made"), *left = json_object_get(cells, "not_selected"),
                 *unread = json_object_get(j, "unread");
    if (made && manifest_tally_parse(made, &l->made, err)) return -1;
    if (left && manifest_tally_parse(left, &l->not_selected, err)) return -1;
    if (!unread) return 0;
    return manifest_u64(unread, "cells", &l->unread.cells, err) || manifest_u64(unread, "uncounted", &l->unread.files, err) ? -1
                                                                                                                            : 0;
}

/* Parses the parts of what v took away; manifests of earlier versions do not have them. */
static int parts_parse(const json_t *j, enum verdict v, struct ledger *l, struct err *err) {
    const json_t *by = json_object_get(j, "by");
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (cause_verdict((enum cause)c) != v) continue;
        if (!is_part(c, v)) {
            if (v != VERDICT_KEEP) l->by[c] = l->dropped[v];
        } else if (!by) {
            l->unparted = 1;
        } else if (manifest_tally_parse(json_object_get(by, cause_name((enum cause)c)), &l->by[c], err)) {
            return -1;
        }
    }
    return 0;
}

static int verdict_parse(const json_t *cells, enum verdict v, struct ledger *l, struct err *err) {
    const json_t *j = json_object_get(cells, verdict_name(v));
    return manifest_tally_parse(j, &l->dropped[v], err) || parts_parse(j, v, l, err) ? -1 : 0;
}

int manifest_ledger_parse(const json_t *j, struct ledger *l, struct err *err) {
    const json_t *r = json_object_get(j, "records"), *c = json_object_get(j, "cells");
    if (manifest_u64(r, "read", &l->records_read, err) || manifest_u64(r, "accepted", &l->records_accepted, err) ||
        manifest_u64(r, "rejected", &l->records_rejected, err) || manifest_u64(r, "skipped", &l->records_skipped, err))
        return -1;
    if (manifest_tally_parse(json_object_get(c, "in"), &l->in, err) ||
        manifest_tally_parse(json_object_get(c, "rejected"), &l->rejected, err))
        return -1;
    for (enum verdict v = 0; v < VERDICT_COUNT; v++)
        if (verdict_parse(c, v, l, err)) return -1;
    if (l->unparted) memset(l->by, 0, sizeof l->by);
    return selection_parse(j, c, l, err) ? -1 : lost_parse(json_object_get(j, "lost"), &l->lost, err);
}

int manifest_partition_cmp(const void *pa, const void *pb) {
    const struct manifest_partition *a = pa, *b = pb;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

int manifest_pending_add(struct manifest_pending *p, struct manifest_partition one, struct err *err) {
    if (grow_array(&p->partitions, p->n, sizeof *p->partitions, "what a dataset waits for", err)) return -1;
    p->partitions[p->n++] = one;
    return 0;
}

/* [{"family": "cf", "partitions": [3, 5]}, …] */
static json_t *partitions_json(const struct manifest_pending *p, const struct table *t) {
    json_t *all = json_array(), *partitions = NULL;
    for (size_t i = 0; i < p->n; i++) {
        if (i == 0 || p->partitions[i].family != p->partitions[i - 1].family) {
            partitions = json_array();
            json_array_append_new(all, json_new(JSON("family", manifest_text(t->families[p->partitions[i].family].name)),
                                                JSON("partitions", partitions)));
        }
        json_array_append_new(partitions, json_integer((json_int_t)p->partitions[i].partition));
    }
    return all;
}

json_t *manifest_pending_json(const struct manifest_pending *p, size_t n, const struct table *t) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = manifest_tally(p[i].tally);
        json_put(j, JSON("dataset", manifest_text(p[i].path)), JSON("files", p[i].files), JSON("now_ms", p[i].now_ms),
                 JSON("waiting", partitions_json(&p[i], t)));
        json_array_append_new(all, j);
    }
    return all;
}

static int family_of(const json_t *j, const struct table *t, struct err *err) {
    char *name;
    if (manifest_text_parse(json_object_get(j, "family"), "a family", &name, err)) return -1;
    int family = name ? table_family(t, bytes_str(name)) : -1;
    free(name);
    return family < 0 ? err_set(err, ERR_INPUT, "manifest: it waits for cells of a family that it lacks") : family;
}

static int partitions_parse(const json_t *j, const struct table *t, struct manifest_pending *p, struct err *err) {
    const json_t *entry, *number;
    size_t i, k;
    json_array_foreach(json_object_get(j, "waiting"), i, entry) {
        int family = family_of(entry, t, err);
        if (family < 0) return -1;
        json_array_foreach(json_object_get(entry, "partitions"), k, number) {
            json_int_t v = json_is_integer(number) ? json_integer_value(number) : -1;
            if (v < 0 || v >= (json_int_t)t->partitioning.count)
                return err_set(err, ERR_INPUT, "manifest: it waits for cells of a partition that it lacks");
            if (manifest_pending_add(p, (struct manifest_partition){(uint32_t)family, (uint32_t)v}, err)) return -1;
        }
    }
    return 0;
}

static int one_parse(const json_t *j, const struct table *t, struct manifest_pending *p, struct err *err) {
    if (manifest_text_parse(json_object_get(j, "dataset"), "a path", &p->path, err) || manifest_u64(j, "files", &p->files, err) ||
        manifest_i64(j, "now_ms", &p->now_ms, err) || manifest_tally_parse(j, &p->tally, err))
        return -1;
    if (!p->path) return err_set(err, ERR_INPUT, "manifest: it waits for a dataset without path");
    return partitions_parse(j, t, p, err);
}

int manifest_pending_parse(const json_t *j, const struct table *t, struct manifest_pending **out, size_t *n, struct err *err) {
    const json_t *entry;
    size_t i;
    *n = 0;
    *out = NULL;
    if (!json_array_size(j)) return 0;
    *out = calloc(json_array_size(j), sizeof **out);
    if (!*out) return err_nomem(err, 0, "the manifest");
    json_array_foreach(j, i, entry) {
        *n = i + 1;
        if (one_parse(entry, t, &(*out)[i], err)) return -1;
    }
    return 0;
}

void manifest_pending_free(struct manifest_pending *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(p[i].path);
        free(p[i].partitions);
    }
    free(p);
}

/* The last member is the checksum of all text before it: an edited or damaged manifest does not pass for what was written. */
static const char seal_head[] = ",\n \"checksum\": \"", seal_tail[] = "\"\n}\n";
enum { SEAL_BYTES = sizeof seal_head - 1 + 16 + sizeof seal_tail - 1 };

int manifest_put_seal(struct buf *text, struct err *err) {
    unsigned long long sum = XXH3_64bits(text->p, text->n);
    return buf_printf(text, err, "%s%016llx%s", seal_head, sum, seal_tail) || buf_put_byte(text, 0, err) ? -1 : 0;
}

bool manifest_is_sealed(const char *text, size_t n) {
    if (n < SEAL_BYTES) return false;
    char sum[17];
    const char *p = text + n - SEAL_BYTES;
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)XXH3_64bits(text, n - SEAL_BYTES));
    return !memcmp(p, seal_head, sizeof seal_head - 1) && !memcmp(p + sizeof seal_head - 1, sum, 16) &&
           !memcmp(p + SEAL_BYTES - (sizeof seal_tail - 1), seal_tail, sizeof seal_tail - 1);
}

/* Text never holds a raw end of line within a string, and only the outermost object is indented by one. */
static const char inputs_head[] = ",\n \"inputs\": [", files_head[] = "],\n \"files\": [", files_tail[] = "]";

static const uint8_t *find_text(struct bytes in, const char *what) {
    return memmem(in.p, in.n, what, strlen(what));
}

static struct bytes bytes_between(const uint8_t *from, const uint8_t *to) {
    return bytes_of(from, (size_t)(to - from));
}

bool manifest_lines_cut(struct bytes text, struct manifest_lines *out) {
    if (text.n < SEAL_BYTES + sizeof files_tail - 1) return false;
    const uint8_t *end = text.p + text.n - SEAL_BYTES - (sizeof files_tail - 1);
    const uint8_t *inputs = find_text(text, inputs_head), *files = find_text(text, files_head);
    if (!inputs || !files || files < inputs || files + sizeof files_head - 1 > end) return false;
    if (memcmp(end, files_tail, sizeof files_tail - 1)) return false;
    out->head = bytes_between(text.p, inputs);
    out->inputs = bytes_between(inputs + sizeof inputs_head - 1, files);
    out->files = bytes_between(files + sizeof files_head - 1, end);
    return true;
}

size_t manifest_lines_count(struct bytes list) {
    struct bytes entry;
    size_t n = 0;
    while (manifest_lines_next(&list, &entry)) n++;
    return n;
}

bool manifest_lines_next(struct bytes *list, struct bytes *entry) {
    while (list->n && (*list->p == '\n' || *list->p == ' ' || *list->p == ',')) *list = bytes_of(list->p + 1, list->n - 1);
    if (!list->n) return false;
    const uint8_t *end = memchr(list->p, '\n', list->n);
    size_t n = end ? (size_t)(end - list->p) : list->n;
    *entry = bytes_of(list->p, n && list->p[n - 1] == ',' ? n - 1 : n);
    *list = bytes_of(list->p + n, list->n - n);
    return true;
}

bool manifest_lines_last(struct bytes *list, struct bytes *entry) {
    while (list->n && memchr("\n ,", list->p[list->n - 1], 3)) list->n--;
    if (!list->n) return false;
    const uint8_t *before = memrchr(list->p, '\n', list->n), *from = before ? before : list->p, *end = list->p + list->n;
    list->n = (size_t)(from - list->p);
    while (from < end && (*from == '\n' || *from == ' ')) from++;
    *entry = bytes_between(from, end);
    return true;
}
