/* File-based store tracking (HBase 2.5 and later): .filelist says which files of a family directory are live. Two files take
 * turns, so that one is whole whatever happened; of those that are whole, the later counts. Source: StoreFileListFile. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/attributes.h"
#include "formats/hbase/file_list.h"
#include "formats/hbase/names.h"

#include <libdeflate.h>
#include <stdlib.h>

enum {
    LENGTH_BYTES = 4,
    CRC_BYTES = 4,
    MESSAGE_MAX_BYTES = 16 << 20, /* StoreFileListFile.MAX_FILE_SIZE */
    LIST_TIMESTAMP = 1,
    LIST_FILE = 2,
    LIST_VERSION = 3,
    LIST_VERSION_MAX = 1
};

/* StoreFileEntry: 1 name, 2 size, 3 Reference. */
static int parse_entry(struct bytes message, struct listed_file *out, struct err *err) {
    enum { NAME = 1, SIZE = 2, REFERENCE = 3 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == SIZE && f.type == PBWIRE_VARINT) out->bytes = f.value;
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == NAME) {
            free(out->name);
            out->name = disk_name_copy(f.bytes, "store file", err);
            if (!out->name) return -1;
        }
        if (f.number == REFERENCE) {
            reference_free(&out->reference);
            if (reference_parse(f.bytes, &out->reference, err)) return -1;
            out->is_reference = true;
        }
    }
    if (rc) return err_set(err, ERR_INPUT, "its entry is malformed");
    return out->name ? 0 : err_set(err, ERR_INPUT, "it has no name");
}

/* Everything but the files, which are counted. */
static int parse_head(struct bytes message, uint64_t *timestamp, size_t *n_files, struct err *err) {
    struct pbwire_field f;
    bool has_timestamp = false;
    int rc;
    *n_files = 0;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == LIST_FILE && f.type == PBWIRE_BYTES) (*n_files)++;
        if (f.number == LIST_TIMESTAMP && f.type == PBWIRE_VARINT) {
            *timestamp = f.value;
            has_timestamp = true;
        }
        if (f.number == LIST_VERSION && f.type == PBWIRE_VARINT && f.value > LIST_VERSION_MAX)
            return err_set(err, ERR_UNSUPPORTED,
                           "version %llu of track files is not supported, only 1; take a snapshot "
                           "and give that",
                           (unsigned long long)f.value);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed");
    return has_timestamp ? 0 : err_set(err, ERR_INPUT, "has no timestamp");
}

static int parse_message(struct bytes message, uint64_t *timestamp, struct file_list *out, struct err *err) {
    struct pbwire_field f;
    size_t n;
    if (parse_head(message, timestamp, &n, err)) return -1;
    out->files = calloc(n + 1, sizeof *out->files);
    if (!out->files) return err_nomem(err, n * sizeof *out->files, "a list of store files");
    while (pbwire_next(&message, &f) == 1) {
        if (f.number != LIST_FILE || f.type != PBWIRE_BYTES) continue;
        if (parse_entry(f.bytes, &out->files[out->n++], err)) return err_prefix(err, "store file %zu", out->n);
    }
    return 0;
}

/* Shorter than it says. */
static bool is_half_written(struct bytes content) {
    if (content.n < LENGTH_BYTES) return true;
    uint32_t n = be32(content.p);
    return n <= MESSAGE_MAX_BYTES && content.n < LENGTH_BYTES + n + CRC_BYTES;
}

int file_list_parse(struct bytes content, uint64_t *timestamp, struct file_list *out, struct err *err) {
    *out = (struct file_list){0};
    *timestamp = 0;
    if (is_half_written(content)) return err_set(err, ERR_INPUT, "ends at byte %zu, before its checksum", content.n);
    uint32_t n = be32(content.p);
    if (n == 0 || n > MESSAGE_MAX_BYTES) return err_set(err, ERR_INPUT, "a length of %u bytes; 1 to 16777216 are possible", n);
    uint32_t want = be32(content.p + LENGTH_BYTES + n), have = libdeflate_crc32(0, content.p + LENGTH_BYTES, n);
    if (have != want) return err_set(err, ERR_INPUT, "checksum at byte %u is %08x, computed %08x", LENGTH_BYTES + n, want, have);
    if (parse_message(bytes_of(content.p + LENGTH_BYTES, n), timestamp, out, err) == 0) return 0;
    file_list_free(out);
    return -1;
}

/* ---- .filelist: which track file counts ---- */

struct track_file {
    char *name;
    int64_t seq; /* -1: the name has none, older than all others */
};

struct track_files {
    struct track_file *files;
    size_t n;
};

/* f1 or f2, then .<sequence> */
static bool parse_name(const char *name, int64_t *seq) {
    if (name[0] != 'f' || (name[1] != '1' && name[1] != '2')) return false;
    *seq = -1;
    if (!name[2]) return true;
    return name[2] == '.' && name[3] >= '0' && name[3] <= '9' && attribute_number(bytes_str(name + 3), seq);
}

static int note_track_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct track_files *t = arg;
    int64_t seq;
    if (is_dir || !parse_name(name, &seq)) return 0;
    if (grow_array(&t->files, t->n, sizeof *t->files, "track files", err)) return -1;
    struct track_file *f = &t->files[t->n];
    *f = (struct track_file){.seq = seq, .name = fs_printf(err, "%s", name)};
    if (!f->name) return -1;
    t->n++;
    return 0;
}

static int newest_first(const void *a, const void *b) {
    const struct track_file *x = a, *y = b;
    if (x->seq != y->seq) return x->seq < y->seq ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Reads a list of files. 1 read, 0 half written, -1 error. */
static int read_track_file(const char *path, uint64_t *timestamp, struct file_list *out, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, LENGTH_BYTES + MESSAGE_MAX_BYTES + CRC_BYTES, &n, err);
    if (!text) return -1;
    struct bytes content = bytes_of(text, n);
    int rc = 0;
    if (!is_half_written(content)) rc = file_list_parse(content, timestamp, out, err) ? err_prefix(err, "%s", path) : 1;
    free(text);
    return rc;
}

/* The whole ones of the highest sequence that has any: the later timestamp wins. */
static int read_newest(const char *dir, const struct track_files *t, struct file_list *out, struct err *err) {
    uint64_t timestamp, best = 0;
    int64_t seq = 0;
    bool is_read = false;
    for (size_t i = 0; i < t->n && !(is_read && t->files[i].seq != seq); i++) {
        struct file_list list;
        char *path = fs_join(dir, t->files[i].name, err);
        int rc = path ? read_track_file(path, &timestamp, &list, err) : -1;
        free(path);
        if (rc < 0) return -1;
        if (rc == 0) continue;
        if (is_read && timestamp <= best) {
            file_list_free(&list);
            continue;
        }
        file_list_free(out);
        *out = list;
        best = timestamp;
        seq = t->files[i].seq;
        is_read = true;
    }
    if (is_read || t->n == 0) return 1;
    return err_set(err, ERR_INPUT,
                   "%s/%s: is cut short, and no other track file is complete: it is unknown which store files are live", dir,
                   t->files[0].name);
}

int file_list_read(const char *family_dir, struct file_list *out, struct err *err) {
    struct track_files t = {0};
    char *dir = fs_join(family_dir, ".filelist", err);
    *out = (struct file_list){0};
    int rc = dir ? directory_each(dir, note_track_file, &t, err) : -1;
    if (t.n) qsort(t.files, t.n, sizeof *t.files, newest_first);
    if (rc == 1) rc = read_newest(dir, &t, out, err);
    if (rc != 1) file_list_free(out);
    for (size_t i = 0; i < t.n; i++) free(t.files[i].name);
    free(t.files);
    free(dir);
    return rc;
}

void file_list_free(struct file_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->files[i].name);
        reference_free(&l->files[i].reference);
    }
    free(l->files);
    *l = (struct file_list){0};
}
