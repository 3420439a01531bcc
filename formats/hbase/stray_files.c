/* Store files where HBase does not look for them: beside regions and families, below families, in directories of unfinished work.
 * Their cells may be nowhere else, so each is counted and said. A store file is known by its trailer, or by a name that nothing
 * else has: of an archive's members only names and sizes are known yet. Links to directories are not followed, so a walk ends. */
#include "base/fd.h"
#include "base/fs.h"
#include "formats/hbase/names.h"
#include "formats/hbase/stray_files.h"
#include "hfile/hfile_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct stray_walk {
    const char *dir, *shown;
    enum note_kind note;
    struct findings *report;
    struct stray_files found;
};

static bool has_sure_name(const char *name) {
    enum { SURE_NAME_BYTES = 16 }; /* a shorter hex number may be of another program */
    enum store_name_kind kind = store_name_parse(bytes_str(name)).kind;
    return kind == STORE_NAME_MOB || (kind == STORE_NAME_FILE && strlen(name) >= SURE_NAME_BYTES);
}

/* Returns whether the file ends as an HFile does: 1, 0, -1. */
static int ends_as_hfile(const char *path, uint64_t bytes, struct err *err) {
    enum { TAIL_BYTES = 4096 };
    uint8_t tail[TAIL_BYTES];
    size_t n = bytes < sizeof tail ? (size_t)bytes : sizeof tail;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return 0; /* HBase has removed it meanwhile */
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
    int rc = fs_pread_full(fd, tail, n, bytes - n, path, err);
    fd_close(fd);
    return rc ? -1 : hfile_looks_like(bytes_of(tail, n));
}

static char *join_shown(const char *shown, const char *name, struct err *err) {
    return shown[0] ? fs_join(shown, name, err) : fs_printf(err, "%s", name);
}

int store_file_is(const char *path, const char *name, struct stat *st, struct err *err) {
    if (stat(path, st)) return errno == ENOENT || errno == ELOOP ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (!S_ISREG(st->st_mode)) return 0;
    return has_sure_name(name) ? 1 : st->st_size ? ends_as_hfile(path, (uint64_t)st->st_size, err) : 0;
}

static int add_file(struct stray_files *s, const char *path, const char *name, const char *shown, struct err *err) {
    struct stat st;
    int is = store_file_is(path, name, &st, err);
    if (is != 1 || !st.st_size) return is < 0 ? -1 : 0;
    s->n++;
    s->bytes += (uint64_t)st.st_size;
    char *as_shown = join_shown(shown, name, err);
    bool first = as_shown && (!s->first || strcmp(as_shown, s->first) < 0);
    free(first ? s->first : as_shown);
    if (first) s->first = as_shown;
    return as_shown ? 0 : -1;
}

int stray_files_look(struct stray_files *s, const char *dir, const char *shown, const char *name, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? add_file(s, path, name, shown, err) : -1;
    free(path);
    return rc;
}

int stray_files_end(struct stray_files *s, enum note_kind note, struct findings *report, int rc, struct err *err) {
    if (!rc && s->n) rc = findings_note(report, note, s->first, s->n, s->bytes, err);
    free(s->first);
    *s = (struct stray_files){0};
    return rc;
}

/* Returns whether path is a link: 1, 0, -1. */
static int is_link(const char *path, struct err *err) {
    struct stat st;
    if (lstat(path, &st) == 0) return S_ISLNK(st.st_mode);
    return errno == ENOENT ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
}

static int visit(void *arg, const char *name, bool is_dir, struct err *err) {
    struct stray_walk *w = arg;
    if (!is_dir) return stray_files_look(&w->found, w->dir, w->shown, name, err);
    char *dir = fs_join(w->dir, name, err), *shown = dir ? join_shown(w->shown, name, err) : NULL;
    const int link = shown ? is_link(dir, err) : -1;
    int rc = link ? (link < 0 ? -1 : 0) : stray_files_below(dir, shown, w->note, w->report, err);
    free(dir);
    free(shown);
    return rc;
}

int stray_files_below(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err) {
    struct stray_walk w = {.dir = dir, .shown = shown, .note = note, .report = report};
    int rc = directory_each(dir, visit, &w, err) < 0 ? -1 : 0;
    return stray_files_end(&w.found, note, report, rc, err);
}

int stray_files_beside_regions(const char *table_dir, const char *name, struct findings *report, struct err *err) {
    char *dir = fs_join(table_dir, name, err);
    int region = dir ? fs_exists_in(dir, ".regioninfo", err) : -1;
    const int link = region < 0 ? -1 : is_link(dir, err);
    int rc = link ? (link < 0 ? -1 : 0) : stray_files_below(dir, name, region ? NOTE_MISNAMED_REGIONS : NOTE_STRAYS, report, err);
    free(dir);
    return rc;
}
