/* Write-ahead logs that may hold edits which are in no store file. Logs are not decoded: the encoded name of a region is
 * text in the key of each of its edits, so logs are searched for the names. */
#include "base/remote.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/warning.h"
#include "formats/hbase/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EMPTY_MAX_BYTES = 85, /* header and trailer of a log without edits (measured, HBase 2.6.4) */
    CHUNK_BYTES = 1 << 20,
    FILE_MAX_BYTES = 64 << 20,
    ALL_MAX_BYTES = 1 << 30,
    NAME_BYTES = REGION_ENCODED_BYTES - 1
};

struct log_search {
    const char **names; /* sorted */
    size_t n;
    struct findings *report;
    const char *server_dir;
    uint8_t *chunk; /* CHUNK_BYTES and the end of the one before */
    uint64_t read;
    size_t cut_short; /* logs that were not read to their end, without a find */
};

static int names_cmp(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_sought(const struct log_search *s, const uint8_t *p) {
    char name[REGION_ENCODED_BYTES];
    memcpy(name, p, NAME_BYTES);
    name[NAME_BYTES] = 0;
    const char *key = name;
    return bsearch(&key, s->names, s->n, sizeof key, names_cmp);
}

static bool is_hex(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* A name follows its length (a blank), so it begins where a run of hex digits does. */
static bool finds_name(const struct log_search *s, const uint8_t *p, size_t n) {
    for (size_t at = 0; at + NAME_BYTES < n;) {
        const uint8_t *length = memchr(p + at, NAME_BYTES, n - NAME_BYTES - at);
        if (!length) return false;
        size_t run = 1;
        while (run <= NAME_BYTES && is_hex(length[run])) run++;
        if (run > NAME_BYTES && is_sought(s, length + 1)) return true;
        at = (size_t)(length - p) + run;
    }
    return false;
}

/* Searches a log for one of the region names that are sought. 1 found, 0 not in what was read, -1. */
static int search_log(struct log_search *s, int fd, const char *path, bool *whole, struct err *err) {
    size_t kept = 0;
    uint64_t from_file = 0;
    *whole = false;
    while (from_file < FILE_MAX_BYTES && s->read < ALL_MAX_BYTES) {
        ssize_t r = remote_read_at(fd, s->chunk + kept, CHUNK_BYTES, from_file, path, err);
        if (r < 0) return -1;
        *whole = r == 0;
        if (r == 0) return 0;
        from_file += (uint64_t)r;
        s->read += (uint64_t)r;
        size_t n = kept + (size_t)r;
        if (finds_name(s, s->chunk, n)) return 1;
        kept = n < NAME_BYTES ? n : NAME_BYTES;
        memmove(s->chunk, s->chunk + n - kept, kept);
    }
    return 0;
}

static int search_file(struct log_search *s, int fd, const char *path, struct err *err) {
    struct stat st;
    bool whole;
    if (fstat(fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (!S_ISREG(st.st_mode) || st.st_size <= EMPTY_MAX_BYTES) return 0;
    int rc = search_log(s, fd, path, &whole, err);
    s->cut_short += rc == 0 && !whole;
    return rc > 0 ? findings_note(s->report, NOTE_WAL, path, 1, (uint64_t)st.st_size, err) : rc;
}

static int visit_log(void *arg, const char *name, bool is_dir, struct err *err) {
    struct log_search *s = arg;
    if (is_dir || name[0] == '.') return 0;
    char *path = fs_join(s->server_dir, name, err);
    if (!path) return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? 0 : search_file(s, fd, path, err);
    if (fd >= 0)
        fd_close(fd);
    else
        s->cut_short++;
    free(path);
    return rc;
}

struct servers {
    struct log_search *s;
    const char *dir;
};

static int visit_server(void *arg, const char *name, bool is_dir, struct err *err) {
    struct servers *v = arg;
    if (!is_dir) return 0;
    char *dir = fs_join(v->dir, name, err);
    v->s->server_dir = dir;
    int rc = dir ? directory_each(dir, visit_log, v->s, err) : -1;
    free(dir);
    return rc < 0 ? -1 : 0;
}

static int search_all(struct log_search *s, const char *root, struct err *err) {
    static const char *const directories[] = {"WALs", ".logs"};
    int rc = 0;
    for (size_t i = 0; i < countof(directories) && rc >= 0; i++) {
        char *dir = fs_join(root, directories[i], err);
        struct servers v = {s, dir};
        rc = dir ? directory_each(dir, visit_server, &v, err) : -1;
        free(dir);
    }
    if (rc < 0 || !s->cut_short) return rc < 0 ? -1 : 0;
    return warning_add(&s->report->warnings, WARN_LOGS_IN_PART, s->cut_short, err,
                       "%zu write-ahead log%s searched for edits of the table only in part (64 MiB of each, 1 GiB in all)",
                       s->cut_short, s->cut_short == 1 ? " was" : "s were");
}

int wal_search(const char *root, const struct region_info *regions, size_t n, struct findings *report, struct err *err) {
    struct log_search s = {
        .names = malloc((n + 1) * sizeof *s.names), .chunk = malloc(CHUNK_BYTES + NAME_BYTES), .report = report};
    int rc = s.names && s.chunk ? 0 : err_nomem(err, CHUNK_BYTES, "searching logs");
    for (size_t i = 0; i < n && !rc; i++)
        if (strlen(regions[i].encoded) == NAME_BYTES) s.names[s.n++] = regions[i].encoded;
    if (!rc && s.n) {
        qsort(s.names, s.n, sizeof *s.names, names_cmp);
        rc = search_all(&s, root, err);
    }
    free(s.names);
    free(s.chunk);
    return rc;
}
