/* The live store files of one family directory, by their names and by .filelist, and what is there besides: edits that
 * wait to be replayed, files of an interrupted flush. What is left out is noted, never dropped in silence. */
#include "base/fs.h"
#include "formats/hbase/family_files.h"
#include "formats/hbase/file_list.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "formats/hbase/stray_files.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LIST "the list of store files takes"

struct family_files_pass {
    const char *dir, *shown;
    struct findings *report;
    struct buf files; /* struct snapshot_file */
    enum note_kind note;
    struct stray_files strays;
    bool has_list;
};

static bool is_hidden(const char *name) {
    return name[0] == '.' || name[0] == '_';
}

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static enum store_name_kind kind_of(const char *name) {
    return store_name_parse(bytes_str(name)).kind;
}

static void free_file(struct snapshot_file *f) {
    free(f->name);
    reference_free(&f->reference);
}

static void free_files(struct buf *files) {
    struct snapshot_file *f = (struct snapshot_file *)files->p;
    for (size_t i = 0; i < files->n / sizeof *f; i++) free_file(&f[i]);
    buf_free(files);
}

/* A file that is left out, with its size. */
static int note_file(struct family_files_pass *p, enum note_kind note, const char *name, struct err *err) {
    char *path = fs_join(p->dir, name, err), *shown = path ? fs_join(p->shown, name, err) : NULL;
    struct stat st = {0};
    const int there = shown ? fs_look(path, &st, err) : -1;
    if (!there) st.st_size = 0; /* a link that leads nowhere */
    int rc = there >= 0 ? findings_note(p->report, note, shown, 1, (uint64_t)st.st_size, err) : -1;
    free(path);
    free(shown);
    return rc;
}

/* Damage of a reference file is noted; the file is listed as it is, and found incomplete later. */
static int read_reference(struct family_files_pass *p, struct snapshot_file *f, struct err *err) {
    char *path = fs_join(p->dir, f->name, err);
    struct err damage = {0};
    if (!path) return -1;
    f->is_reference = crc_file_check(path, &damage) >= 0 && reference_read(path, &f->reference, &damage) == 0;
    free(path);
    return f->is_reference ? 0 : findings_take_damage(p->report, &damage, err);
}

static int add_file(struct family_files_pass *p, const char *name, enum store_name_kind kind, struct err *err) {
    if (list_room_take(&p->report->listed, sizeof(struct snapshot_file) + strlen(name) + LIST_ROOM_EACH, LIST, err)) return -1;
    struct snapshot_file f = {.name = strdup(name)};
    int rc = f.name ? 0 : err_nomem(err, strlen(name), "a file name");
    if (!rc && kind == STORE_NAME_REFERENCE) rc = read_reference(p, &f, err);
    bool listed = !rc && (kind != STORE_NAME_REFERENCE || f.is_reference);
    if (listed) rc = buf_put(&p->files, &f, sizeof f, err);
    if (rc || !listed) free_file(&f);
    return rc;
}

/* Notes files that HBase 2.4+ leaves when it replays logs into HFiles (hbase.wal.split.to.hfile). */
static int visit_recovered(void *arg, const char *name, bool is_dir, struct err *err) {
    return is_dir || is_hidden(name) ? 0 : note_file(arg, NOTE_EDITS_AS_HFILES, name, err);
}

static int visit_inner(struct family_files_pass *p, const char *name, struct err *err) {
    if (strcmp(name, ".filelist") == 0) p->has_list = true;
    bool recovered = strcmp(name, "recovered.hfiles") == 0;
    char *dir = fs_join(p->dir, name, err), *shown = fs_join(p->shown, name, err);
    struct family_files_pass inner = {.dir = dir, .shown = shown, .report = p->report};
    int rc = !dir || !shown ? -1
             : recovered    ? directory_each(dir, visit_recovered, &inner, err)
                            : stray_files_below(dir, shown, NOTE_STRAYS, p->report, err);
    free(dir);
    free(shown);
    return rc < 0 ? -1 : 0;
}

static int visit_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct family_files_pass *p = arg;
    if (is_dir) return visit_inner(p, name, err);
    if (is_hidden(name)) return stray_files_look(&p->strays, p->dir, p->shown, name, err);
    enum store_name_kind kind = kind_of(name);
    return kind == STORE_NAME_OTHER ? note_file(p, NOTE_OTHER_NAMES, name, err) : add_file(p, name, kind, err);
}

static int listed_by_name(const void *a, const void *b) {
    return strcmp(((const struct listed_file *)a)->name, ((const struct listed_file *)b)->name);
}

/* Takes what it keeps from the list. Sizes of links and references in a list are not those of a file. */
static int keep_listed(struct buf *kept, struct listed_file *from, struct err *err) {
    struct snapshot_file f = {.name = from->name, .is_reference = from->is_reference, .reference = from->reference};
    if (buf_reserve(kept, sizeof f, err)) return -1;
    if (kind_of(f.name) == STORE_NAME_FILE) {
        f.has_size = true;
        f.bytes = from->bytes;
    }
    *from = (struct listed_file){0};
    return buf_put(kept, &f, sizeof f, err);
}

/* Keeps the files that the list names; both are sorted. A file that is listed and not there is kept, too: a newer HBase has its
 * references and links only in the list, and of other files it is to be said that they are missing. */
static int keep_tracked(struct family_files_pass *p, struct file_list *list, struct err *err) {
    struct snapshot_file *f = (struct snapshot_file *)p->files.p;
    size_t n = p->files.n / sizeof *f, i = 0, k = 0;
    struct buf kept = {0};
    int rc = 0;
    while (!rc && (i < n || k < list->n)) {
        int c = i == n ? 1 : k == list->n ? -1 : strcmp(f[i].name, list->files[k].name);
        if (c < 0) {
            rc = note_file(p, NOTE_UNTRACKED, f[i].name, err);
            i++;
        } else if (c == 0 && f[i].is_reference) {
            struct snapshot_file whole = f[i];
            rc = buf_put(&kept, &whole, sizeof whole, err);
            if (!rc) f[i] = (struct snapshot_file){0};
            i++;
            k++;
        } else {
            rc = keep_listed(&kept, &list->files[k++], err);
            i += c == 0;
        }
    }
    free_files(&p->files);
    p->files = kept;
    return rc;
}

static int apply_list(struct family_files_pass *p, enum file_tracking tracking, struct err *err) {
    struct file_list list;
    int rc = p->has_list ? file_list_read(p->dir, &list, err) : 0;
    if (rc < 0) return -1;
    if (rc == 0) {
        bool odd = tracking == FILES_TRACKED && p->files.n;
        return odd ? findings_note(p->report, NOTE_NO_FILE_LIST, p->shown, p->files.n / sizeof(struct snapshot_file), 0, err) : 0;
    }
    if (list.n) qsort(list.files, list.n, sizeof *list.files, listed_by_name);
    rc = list_room_take(&p->report->listed, list.n * sizeof(struct snapshot_file), LIST, err);
    if (!rc) rc = keep_tracked(p, &list, err);
    file_list_free(&list);
    return rc;
}

int family_files_read(const char *dir, const char *shown, enum file_tracking tracking, struct snapshot_family *out,
                      struct findings *report, struct err *err) {
    struct family_files_pass p = {.dir = dir, .shown = shown, .report = report};
    int rc = directory_each(dir, visit_file, &p, err) < 0 ? -1 : 0;
    rc = stray_files_end(&p.strays, NOTE_STRAYS, report, rc, err);
    if (rc >= 0 && p.files.n)
        qsort(p.files.p, p.files.n / sizeof(struct snapshot_file), sizeof(struct snapshot_file), snapshot_file_order);
    if (rc >= 0 && tracking != FILES_UNTRACKED) rc = apply_list(&p, tracking, err);
    if (rc < 0) {
        free_files(&p.files);
        return -1;
    }
    out->files = (struct snapshot_file *)p.files.p;
    out->n_files = p.files.n / sizeof *out->files;
    return 0;
}

/* `<sequence id>.seqid` (older `_seqid`) only says how far the region had come. */
static int visit_edits(void *arg, const char *name, bool is_dir, struct err *err) {
    if (is_dir || is_hidden(name) || ends_with(name, ".seqid") || ends_with(name, "_seqid")) return 0;
    return note_file(arg, NOTE_EDITS, name, err);
}

int family_files_note_edits(const char *region_dir, const char *shown, struct findings *report, struct err *err) {
    char *dir = fs_join(region_dir, "recovered.edits", err), *shown_dir = fs_join(shown, "recovered.edits", err);
    struct family_files_pass p = {.dir = dir, .shown = shown_dir, .report = report};
    int rc = dir && shown_dir ? directory_each(dir, visit_edits, &p, err) : -1;
    free(dir);
    free(shown_dir);
    return rc < 0 ? -1 : 0;
}

static int visit_skipped(void *arg, const char *name, bool is_dir, struct err *err) {
    struct family_files_pass *p = arg;
    if (is_dir) return visit_inner(p, name, err);
    if (is_hidden(name) || kind_of(name) == STORE_NAME_OTHER) return stray_files_look(&p->strays, p->dir, p->shown, name, err);
    return note_file(p, p->note, name, err);
}

int family_files_note_skipped(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err) {
    struct family_files_pass p = {.dir = dir, .shown = shown, .report = report, .note = note};
    int rc = directory_each(dir, visit_skipped, &p, err) < 0 ? -1 : 0;
    return stray_files_end(&p.strays, NOTE_STRAYS, report, rc, err);
}
