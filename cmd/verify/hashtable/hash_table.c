/* Reads the output of HBase's HashTable job: its manifest (Java properties), the list of hash files, and the files themselves, as
 * one stream of batches in the order of rows. Sizes are bounded, and every value is checked before it is believed. */
#include "cmd/verify/hashtable/hash_table.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/instream.h"
#include "formats/seqfile/seqfile_input.h"
#include "formats/text/text_input.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { MANIFEST_MAX_BYTES = 1 << 20 };

static const char null_class[] = "org.apache.hadoop.io.NullWritable",
                  bytes_class[] = "org.apache.hadoop.hbase.io.ImmutableBytesWritable";

/* ---- manifest ---- */

static int take_number(const char *key, const char *value, int64_t least, int64_t most, int64_t *out, struct err *err) {
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 10);
    if (end == value || *end || errno || v < least || v > most)
        return err_set(err, ERR_INPUT, "%s=%.40s: expected a number from %lld to %lld", key, value, (long long)least,
                       (long long)most);
    *out = v;
    return 0;
}

static int take_row(const char *key, const char *value, struct buf *out, struct err *err) {
    struct err bad = {0};
    char *text = fs_printf(err, "hex:%s", value);
    if (!text) return -1;
    int rc = hex_text_parse(text, out, &bad);
    free(text);
    if (rc && bad.code != ERR_USAGE) {
        err_keep(err, &bad);
        return -1;
    }
    return rc ? err_set(err, ERR_INPUT, "%s=%.80s: expected an even number of hex digits", key, value) : 0;
}

/* Java's split: empty names at the end are none. */
static int take_families(const char *value, struct buf *out, struct err *err) {
    out->n = 0;
    for (const char *p = value; *p;) {
        size_t n = strcspn(p, ",");
        if (!n && strspn(p, ",") == strlen(p)) break;
        if (buf_put(out, p, n, err) || buf_put_byte(out, 0, err)) return -1;
        p += n + (p[n] == ',');
    }
    return 0;
}

static int take_name(const char *value, char **out, struct err *err) {
    free(*out);
    *out = strdup(value);
    return *out ? 0 : err_nomem(err, strlen(value), "the manifest");
}

/* As Boolean.parseBoolean. */
static int take_flag(const char *value, bool *out) {
    *out = !strcasecmp(value, "true");
    return 0;
}

static int take_digest(const char *value, enum message_digest_kind *out, struct err *err) {
    if (message_digest_named(value, out)) return 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "hashAlgorithm=%.40s is not supported; make the hashes with MD5, SHA-1, SHA-256, SHA-384 or SHA-512", value);
}

/* HashTable.TableHash.readPropertiesFile and initScan. */
static int take_property(void *arg, const char *key, const char *value, struct err *err) {
    struct hash_table *t = arg;
    int64_t n = 0;
    int rc = 0;
    if (!strcmp(key, "table")) return take_name(value, &t->table, err);
    if (!strcmp(key, "columnFamilies")) return take_families(value, &t->families, err);
    if (!strcmp(key, "startRowHex")) return take_row(key, value, &t->start_row, err);
    if (!strcmp(key, "stopRowHex")) return take_row(key, value, &t->stop_row, err);
    if (!strcmp(key, "hashAlgorithm")) return take_digest(value, &t->digest, err);
    if (!strcmp(key, "rawScan")) return take_flag(value, &t->raw);
    if (!strcmp(key, "ignoreTimestamps")) return take_flag(value, &t->ignore_timestamps);
    if (!strcmp(key, "targetBatchSize")) {
        rc = take_number(key, value, INT64_MIN, INT64_MAX, &n, err);
        t->batch_bytes = n < 0 ? 0 : (uint64_t)n;
    } else if (!strcmp(key, "numHashFiles")) {
        rc = take_number(key, value, 1, 99999, &n, err);
        t->n_files = (uint32_t)n;
    } else if (!strcmp(key, "scanBatch")) {
        rc = take_number(key, value, INT32_MIN, INT32_MAX, &n, err);
        t->scan_batch = n > 0 ? (uint32_t)n : 0;
    } else if (!strcmp(key, "versions")) {
        rc = take_number(key, value, INT32_MIN, INT32_MAX, &n, err);
        if (n >= 0) t->versions = (uint32_t)n;
    } else if (!strcmp(key, "startTimestamp")) {
        rc = take_number(key, value, 0, INT64_MAX, &t->start_ms, err);
    } else if (!strcmp(key, "endTimestamp")) {
        rc = take_number(key, value, 0, INT64_MAX, &t->end_ms, err);
    } else {
        rc = err_set(err, ERR_UNSUPPORTED, "%.40s=%.40s: this property of HashTable is not known, and may change what is hashed",
                     key, value);
    }
    return rc;
}

/* "#Sat Nov 21 07:21:03 UTC 2026", which Properties.store writes; of the names of time zones only UTC is the same everywhere. */
static int64_t date_of(struct bytes text) {
    static const char *const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char line[64], month[4], zone[8];
    struct tm tm = {0};
    const uint8_t *nl = text.n ? memchr(text.p, '\n', text.n) : NULL;
    size_t n = nl ? (size_t)(nl - text.p) : 0;
    if (!n || n >= sizeof line) return -1;
    memcpy(line, text.p, n);
    line[n] = 0;
    if (sscanf(line, "#%*3s %3s %d %d:%d:%d %7s %d", month, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, zone,
               &tm.tm_year) != 7)
        return -1;
    const char *at = strlen(month) == 3 ? strstr(months, month) : NULL;
    if (!at || (at - months) % 3 || (strcmp(zone, "UTC") && strcmp(zone, "GMT")) || tm.tm_year < 1970 || tm.tm_year > 9999)
        return -1;
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    return (int64_t)timegm(&tm) * 1000;
}

int hash_table_parse(const char *name, struct bytes text, struct hash_table *out, struct err *err) {
    *out = (struct hash_table){.versions = 1, .end_ms = 0, .made_ms = date_of(text)};
    int rc = properties_parse(text, take_property, out, err);
    if (!rc && !out->n_files) rc = err_set(err, ERR_INPUT, "numHashFiles is missing: not the manifest of a HashTable job");
    if (!rc && !out->table) rc = err_set(err, ERR_INPUT, "table is missing: not the manifest of a HashTable job");
    if (!out->end_ms) out->end_ms = INT64_MAX;
    return rc ? err_prefix(err, "%s", name) : 0;
}

bool hash_table_has_family(const struct hash_table *t, struct bytes family) {
    for (size_t i = 0; i < t->families.n; i += strlen((char *)t->families.p + i) + 1)
        if (bytes_eq(bytes_str((char *)t->families.p + i), family)) return true;
    return t->families.n == 0;
}

/* ---- partitions and hash files ---- */

static struct seqfile_pairs *open_pairs(const char *path, const char *value_class, size_t memory_bytes, const struct stop *stop,
                                        struct err *err) {
    const struct read_opts o = {.memory.max_block = memory_bytes, .stop = stop, .memory.chunk = 64 * 1024};
    struct instream *in = instream_open(path, stop, memory_bytes, err);
    return in ? seqfile_pairs_open(in, value_class, &o, err) : NULL;
}

static int check_partitions(const struct hash_table *t, const char *path, size_t memory_bytes, const struct stop *stop,
                            struct err *err) {
    struct seqfile_pairs *p = open_pairs(path, null_class, memory_bytes, stop, err);
    struct bytes row, value;
    struct buf last = {0};
    uint32_t n = 0;
    int more = p ? 0 : -1;
    while (p && (more = seqfile_pairs_next(p, &row, &value, err)) == 1) {
        if (n++ && bytes_cmp(buf_bytes(&last), row) > 0) more = err_set(err, ERR_INPUT, "%s: its rows are not in order", path);
        if (more < 0 || buf_copy(&last, row, err)) break;
    }
    if (!more && !err->code && n + 1 != t->n_files)
        err_set(err, ERR_INPUT, "%s: %u row%s %u hash files, the manifest says numHashFiles=%u", path, n,
                n == 1 ? " divides" : "s divide", n + 1, t->n_files);
    seqfile_pairs_close(p);
    buf_free(&last);
    return err->code ? -1 : 0;
}

static int count_files(const struct hash_table *t, const char *dir, struct err *err) {
    DIR *d = opendir(dir);
    uint32_t n = 0;
    if (!d) return err_sys(err, ERR_INPUT, errno, "%s", dir);
    for (struct dirent *e; (e = directory_next(d));) n += !strncmp(e->d_name, "part-r-", 7);
    int sys = errno;
    (void)closedir(d); /* it was only read */
    if (sys) return err_sys(err, ERR_INPUT, sys, "cannot read directory %s", dir);
    return n == t->n_files ? 0
                           : err_set(err, ERR_INPUT, "%s: %u hash files, the manifest says numHashFiles=%u", dir, n, t->n_files);
}

static int read_manifest(const char *dir, struct hash_table *out, struct err *err) {
    size_t n = 0;
    char *path = fs_join(dir, "manifest", err), *draft = fs_join(dir, "manifest.tmp", err);
    int there = path && draft ? fs_exists(path, err) : -1;
    if (!there && fs_exists(draft, err) == 1)
        err_set(err, ERR_INPUT, "%s: manifest.tmp exists, but manifest does not: the HashTable job did not finish", dir);
    else if (!there)
        err_set(err, ERR_UNSUPPORTED, "%s: no manifest: not the output of a HashTable job", dir);
    char *text = there == 1 ? fs_read_text(path, MANIFEST_MAX_BYTES, &n, err) : NULL;
    int rc = text ? hash_table_parse(path, bytes_of(text, n), out, err) : -1;
    free(text);
    free(path);
    free(draft);
    return rc;
}

int hash_table_open(const char *dir, size_t memory_bytes, const struct stop *stop, struct hash_table *out, struct err *err) {
    *out = (struct hash_table){0};
    int rc = read_manifest(dir, out, err);
    char *partitions = fs_join(dir, "partitions", err), *hashes = fs_join(dir, "hashes", err);
    out->dir = fs_printf(err, "%s", dir);
    if (!partitions || !hashes || !out->dir) rc = -1;
    if (!rc) rc = check_partitions(out, partitions, memory_bytes, stop, err);
    if (!rc) rc = count_files(out, hashes, err);
    free(partitions);
    free(hashes);
    return rc;
}

char *hash_table_file(const struct hash_table *t, uint32_t i, struct err *err) {
    return fs_printf(err, "%s/hashes/part-r-%05u/data", t->dir, i);
}

void hash_table_free(struct hash_table *t) {
    free(t->dir);
    free(t->table);
    buf_free(&t->families);
    buf_free(&t->start_row);
    buf_free(&t->stop_row);
}

/* ---- batches ---- */

struct hash_reader {
    const struct hash_table *t;
    size_t memory_bytes;
    const struct stop *stop;
    uint32_t next_file;
    char *path;
    struct seqfile_pairs *pairs; /* of the file before next_file; NULL: open the next one */
    struct buf last;
    bool any;
};

struct hash_reader *hash_reader_open(const struct hash_table *t, size_t memory_bytes, const struct stop *stop, struct err *err) {
    struct hash_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "hashes");
        return NULL;
    }
    r->t = t;
    r->memory_bytes = memory_bytes;
    r->stop = stop;
    return r;
}

static int open_next(struct hash_reader *r, struct err *err) {
    free(r->path);
    r->path = hash_table_file(r->t, r->next_file++, err);
    r->pairs = r->path ? open_pairs(r->path, bytes_class, r->memory_bytes, r->stop, err) : NULL;
    return r->pairs ? 0 : -1;
}

/* value: a serialised ImmutableBytesWritable. */
static int check_pair(struct hash_reader *r, struct bytes row, struct bytes value, struct bytes *hash, struct err *err) {
    size_t want = message_digest_bytes(r->t->digest);
    if (value.n < 4 || value.n - 4 != want || value.p[0] || value.p[1] || value.p[2] || value.p[3] != want)
        return err_set(err, ERR_INPUT, "%s: a hash of %zu bytes, expected %zu", r->path, value.n < 4 ? 0 : value.n - 4, want);
    if (r->any && bytes_cmp(buf_bytes(&r->last), row) >= 0)
        return err_set(err, ERR_INPUT, "%s: the batches' first rows are not in order", r->path);
    *hash = bytes_of(value.p + 4, want);
    r->any = true;
    return buf_copy(&r->last, row, err);
}

int hash_reader_next(struct hash_reader *r, struct bytes *row, struct bytes *hash, struct err *err) {
    for (;;) {
        struct bytes value;
        if (!r->pairs && r->next_file == r->t->n_files) return 0;
        if (!r->pairs && open_next(r, err)) return -1;
        int more = seqfile_pairs_next(r->pairs, row, &value, err);
        if (more < 0) return -1;
        if (more) return check_pair(r, *row, value, hash, err) ? -1 : 1;
        seqfile_pairs_close(r->pairs);
        r->pairs = NULL;
    }
}

void hash_reader_close(struct hash_reader *r) {
    if (!r) return;
    seqfile_pairs_close(r->pairs);
    free(r->path);
    buf_free(&r->last);
    free(r);
}
