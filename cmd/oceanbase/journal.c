/* The record of a load: which files began and which are in, a line each, synced before the statement is sent. A line that was
 * cut off by a crash is dropped when the journal is read again. */
#include "cmd/oceanbase/journal.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOURNAL_VERSION = 1, JOURNAL_MAX_BYTES = 1 << 28 };

struct load_journal {
    char *path;
    int fd; /* -1: read only */
    pthread_mutex_t lock;
    json_t *files; /* path -> its last start or done */
    json_t *bases; /* "table/partition" -> base */
    int64_t now_ms;
};

/* *out NULL: this is no JSON. -1: out of memory, which must not look the same: a journal that is none is begun again. */
static int parse_line(const char *line, size_t n, json_t **out, struct err *err) {
    *out = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
    if (!json_memory_check(err)) return 0;
    json_decref(*out);
    return -1;
}

static bool text_is(const json_t *object, const char *key, const char *want) {
    const char *s = json_string_value(json_object_get(object, key));
    return s && !strcmp(s, want);
}

static bool is_about(const json_t *head, const struct journal_subject *about) {
    return json_integer_value(json_object_get(head, "journal")) == JOURNAL_VERSION && text_is(head, "target", about->target) &&
           text_is(head, "export", about->export_sum);
}

/* Names are joined by a byte that is in none of them. */
static int base_key(struct buf *out, const char *table, const char *partition, struct err *err) {
    return buf_printf(out, err, "%s\x1f%s", table, partition ? partition : "") || buf_put_byte(out, 0, err) ? -1 : 0;
}

/* Takes a line into memory; lines of an unknown kind are for later versions. */
static int note_line(struct load_journal *j, const json_t *line, struct err *err) {
    const char *start = json_string_value(json_object_get(line, "start")),
               *done = json_string_value(json_object_get(line, "done"));
    const char *base = json_string_value(json_object_get(line, "base"));
    int rc = 0;
    if (json_object_get(line, "now")) j->now_ms = json_integer_value(json_object_get(line, "now"));
    if (start || done) rc = json_object_set(j->files, start ? start : done, (json_t *)(uintptr_t)line);
    if (base) {
        struct buf key = {0};
        if (base_key(&key, base, json_string_value(json_object_get(line, "partition")), err)) return -1;
        rc = json_object_set(j->bases, (char *)key.p, (json_t *)(uintptr_t)line);
        buf_free(&key);
    }
    return rc ? err_nomem(err, 0, "the journal") : 0;
}

/* Checks how the first line begins: a file that begins otherwise is not ours. The line may be torn. */
static int check_kind(const struct load_journal *j, const char *text, size_t n, struct err *err) {
    static const char begin[] = "{\"journal\":";
    if (!memcmp(text, begin, n < sizeof begin - 1 ? n : sizeof begin - 1)) return 0;
    return err_set(err, ERR_USAGE, "%s is not the journal of a load, and is left unchanged; see --journal", j->path);
}

/* A journal of another export into this target is done with; what is in another target must not be forgotten. */
static int check_head(const struct load_journal *j, const json_t *head, const struct journal_subject *about, struct err *err) {
    const char *target = json_string_value(json_object_get(head, "target"));
    if (!target || !strcmp(target, about->target)) return 0;
    return err_set(err, ERR_USAGE,
                   "%s is the journal of a load into %s; choose another file, or give --restart to start "
                   "over",
                   j->path, target);
}

/* Takes all whole lines; *whole is where the last of them ends, 0 when this is no journal of the subject. */
static int take_lines(struct load_journal *j, const char *text, size_t n, const struct journal_subject *about, size_t *whole,
                      struct err *err) {
    size_t number = 0;
    *whole = 0;
    if (check_kind(j, text, n, err)) return -1;
    for (const char *at = text, *end; (end = memchr(at, '\n', n - (size_t)(at - text))); at = end + 1) {
        json_t *line;
        if (parse_line(at, (size_t)(end - at), &line, err)) return -1;
        if (!number++ && !is_about(line, about)) {
            int rc = check_head(j, line, about, err);
            json_decref(line);
            return rc;
        }
        if (!json_is_object(line)) {
            json_decref(line);
            return err_set(err, ERR_INPUT, "%s:%zu: not a line of a journal; give --restart to start a new journal", j->path,
                           number);
        }
        int rc = note_line(j, line, err);
        json_decref(line);
        if (rc) return -1;
        *whole = (size_t)(end + 1 - text);
    }
    return 0;
}

static struct load_journal *make_journal(const char *path, struct err *err) {
    struct load_journal *j = calloc(1, sizeof *j);
    if (!j) {
        err_nomem(err, sizeof *j, "the journal");
        return NULL;
    }
    j->fd = -1;
    pthread_mutex_init(&j->lock, NULL);
    j->path = strdup(path);
    j->files = json_object();
    j->bases = json_object();
    if (j->path && j->files && j->bases) return j;
    err_nomem(err, 0, "the journal");
    journal_close(j);
    return NULL;
}

void journal_close(struct load_journal *j) {
    if (!j) return;
    fd_close(j->fd);
    json_decref(j->files);
    json_decref(j->bases);
    pthread_mutex_destroy(&j->lock);
    free(j->path);
    free(j);
}

/* The items of an array, a line each, written at once and synced. Owns it. */
static int append_lines(struct load_journal *j, json_t *lines, struct err *err) {
    const char *what = "a line of the journal (or a name that is not UTF-8)";
    struct buf b = {0};
    json_t *line;
    size_t i;
    int rc = lines ? 0 : err_nomem(err, 0, "the journal");
    json_array_foreach(lines, i, line) {
        char *text = rc ? NULL : json_memory_dump(json_incref(line), JSON_COMPACT | JSON_ENSURE_ASCII, what, err);
        rc = text ? buf_printf(&b, err, "%s\n", text) : -1;
        free(text);
    }
    pthread_mutex_lock(&j->lock);
    if (!rc) rc = fs_write_full(j->fd, b.p, b.n, j->path, err);
    if (!rc && fdatasync(j->fd)) rc = err_sys(err, ERR_OUTPUT, errno, "%s", j->path);
    json_array_foreach(lines, i, line) {
        if (!rc) rc = note_line(j, line, err);
    }
    pthread_mutex_unlock(&j->lock);
    json_decref(lines);
    buf_free(&b);
    return rc;
}

static int append_line(struct load_journal *j, json_t *line, struct err *err) {
    return append_lines(j, line ? json_pack("[o]", line) : NULL, err);
}

static int open_locked(struct load_journal *j, struct err *err) {
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
    if (j->fd < 0) return err_sys(err, ERR_OUTPUT, errno, "the journal %s (choose its place with --journal FILE)", j->path);
    if (!flock(j->fd, LOCK_EX | LOCK_NB)) return 0;
    return errno == EWOULDBLOCK ? err_set(err, ERR_BUSY, "%s: another obkv-load is using it", j->path)
                                : err_sys(err, ERR_OUTPUT, errno, "%s", j->path);
}

/* An existing journal of this subject stays, without a torn last line; otherwise a new one is begun. */
static int open_lines(struct load_journal *j, const struct journal_subject *about, bool anew, bool *found, struct err *err) {
    size_t n = 0, whole = 0;
    char *text = fs_read_text(j->path, JOURNAL_MAX_BYTES, &n, err);
    int rc = text ? 0 : -1;
    if (!rc) rc = anew ? check_kind(j, text, n, err) : take_lines(j, text, n, about, &whole, err);
    free(text);
    *found = whole > 0;
    if (!rc && ftruncate(j->fd, (off_t)whole)) rc = err_sys(err, ERR_OUTPUT, errno, "%s", j->path);
    if (rc || whole) return rc;
    json_t *head = json_new(JSON("journal", JOURNAL_VERSION), JSON("target", about->target), JSON("export", about->export_sum));
    if (head && about->now_ms && json_object_set_new(head, "now", json_integer(about->now_ms))) {
        json_decref(head);
        head = NULL;
    }
    return append_line(j, head, err);
}

int journal_open(const char *path, const struct journal_subject *about, bool anew, struct load_journal **out, bool *found,
                 struct err *err) {
    struct load_journal *j = make_journal(path, err);
    *out = NULL;
    if (!j) return -1;
    if (open_locked(j, err) || open_lines(j, about, anew, found, err)) {
        journal_close(j);
        return -1;
    }
    *out = j;
    return 0;
}

int journal_read(const char *path, const struct journal_subject *about, struct load_journal **out, struct err *err) {
    size_t n = 0, whole = 0;
    *out = NULL;
    int there = fs_exists(path, err);
    if (there <= 0) return there;
    struct load_journal *j = make_journal(path, err);
    char *text = j ? fs_read_text(path, JOURNAL_MAX_BYTES, &n, err) : NULL;
    int rc = text ? take_lines(j, text, n, about, &whole, err) : -1;
    free(text);
    if (!rc && whole) {
        *out = j;
        return 0;
    }
    journal_close(j);
    return rc;
}

/* Lines are added by other threads meanwhile. */
static void lock(const struct load_journal *j) {
    pthread_mutex_lock(&((struct load_journal *)(uintptr_t)j)->lock);
}

static void unlock(const struct load_journal *j) {
    pthread_mutex_unlock(&((struct load_journal *)(uintptr_t)j)->lock);
}

int64_t journal_now(const struct load_journal *j) {
    return j ? j->now_ms : 0;
}

enum journal_state journal_state_of(const struct load_journal *j, const char *file, const char *checksum) {
    enum journal_state state = JOURNAL_NEW;
    if (!j) return state;
    lock(j);
    const json_t *line = json_object_get(j->files, file);
    if (line && text_is(line, "checksum", checksum)) state = json_object_get(line, "done") ? JOURNAL_DONE : JOURNAL_STARTED;
    unlock(j);
    return state;
}

bool journal_has_begun(const struct load_journal *j) {
    if (!j) return false;
    lock(j);
    const bool has = json_object_size(j->files) > 0;
    unlock(j);
    return has;
}

uint64_t journal_rows(const struct load_journal *j, const char *file) {
    if (!j) return 0;
    lock(j);
    const uint64_t rows = (uint64_t)json_integer_value(json_object_get(json_object_get(j->files, file), "rows"));
    unlock(j);
    return rows;
}

int journal_base(const struct load_journal *j, const char *table, const char *partition, struct cell_sums *out, struct err *err) {
    struct buf key = {0};
    *out = (struct cell_sums){0};
    if (!j || !json_object_size(j->bases)) return 0;
    if (base_key(&key, table, partition, err)) {
        buf_free(&key);
        return -1;
    }
    const json_t *line = json_object_get(j->bases, (char *)key.p);
    const char *sum = json_string_value(json_object_get(line, "crc_sum"));
    if (sum && decimal_parse_u128(bytes_str(sum), &out->crc_sum)) {
        out->rows = (uint64_t)json_integer_value(json_object_get(line, "rows"));
        out->bytes = (uint64_t)json_integer_value(json_object_get(line, "bytes"));
        out->crc_xor = (uint32_t)json_integer_value(json_object_get(line, "crc_xor"));
    }
    buf_free(&key);
    return 0;
}

int journal_put_base(struct load_journal *j, const char *table, const char *partition, const struct cell_sums *s,
                     struct err *err) {
    char sum[DECIMAL_U128_BYTES + 1];
    decimal_print_u128(s->crc_sum, sum);
    return append_line(j,
                       json_pack("{s:s, s:s?, s:I, s:I, s:s, s:I}", "base", table, "partition", partition, "rows",
                                 (json_int_t)s->rows, "bytes", (json_int_t)s->bytes, "crc_sum", sum, "crc_xor",
                                 (json_int_t)s->crc_xor),
                       err);
}

/* Returns the lines as an array; NULL: one of them is missing, for want of memory or as its path is not UTF-8. */
static json_t *all_of(json_t *lines, size_t n) {
    if (json_array_size(lines) == n) return lines;
    json_decref(lines);
    return NULL;
}

int journal_put_start(struct load_journal *j, const struct journal_file *files, size_t n, struct err *err) {
    json_t *lines = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(lines, json_new(JSON("start", files[i].path), JSON("checksum", files[i].checksum)));
    return append_lines(j, all_of(lines, n), err);
}

int journal_put_done(struct load_journal *j, const struct journal_file *files, size_t n, bool kept, struct err *err) {
    json_t *lines = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *line = json_new(JSON("done", files[i].path), JSON("checksum", files[i].checksum), JSON("rows", files[i].rows));
        if (kept && json_object_set_new(line, "kept", json_true())) {
            json_decref(line);
            line = NULL;
        }
        json_array_append_new(lines, line);
    }
    return append_lines(j, all_of(lines, n), err);
}

size_t journal_count_kept(const struct load_journal *j) {
    size_t n = 0;
    const char *file;
    json_t *line;
    if (!j) return 0;
    json_object_foreach(j->files, file, line) n += json_is_true(json_object_get(line, "kept"));
    return n;
}
