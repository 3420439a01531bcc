/* "No space left on device" does not say how much would have been enough. The run knows: it has written so many bytes, and its
 * progress says of which part of the work. So the rest is extended from that, as the time left is.
 *
 * Temporary files hold each record once, so what was spilled by now stands for the part of the inputs that was read. Output files
 * stand for the part of the cells that was written; where hardly any was, for the size of what is to be written, uncompressed. */
#include "cmd/common/disk_need.h"

#include "cmd/common/report_figures.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Directories, manifest and report, in file systems with large blocks. */
static const uint64_t SMALL_FILES_BYTES = 256 << 10;
/* Cells count as written when a thread has taken them for blocks that are compressed later. */
static const uint64_t THREAD_BYTES = 8 << 20;
enum { FEW_FILES = 1024 };
static const double LEAST_SHARE = 0.02, MARGIN = 1.1;

static void note(void *arg, const char *phase, uint64_t done, uint64_t total) {
    struct disk_need *n = arg;
    if (n->shown.report) n->shown.report(n->shown.arg, phase, done, total);
    if (progress_is_aside(phase)) return;
    if (!n->phase || strcmp(n->phase, phase) != 0) {
        n->phase = phase;
        n->before = n->written;
    }
    n->written = __atomic_load_n(&n->quota->output_bytes, __ATOMIC_RELAXED);
    n->done = done;
    n->total = total;
}

struct progress disk_need_watch(struct disk_need *n, struct progress shown, const struct disk_quota *quota) {
    *n = (struct disk_need){.shown = shown, .quota = quota};
    return (struct progress){note, n};
}

static struct disk_room room_of(const char *dir) {
    struct statvfs fs;
    struct stat st;
    if (!dir || statvfs(dir, &fs) || stat(dir, &st)) return (struct disk_room){.known = false};
    return (struct disk_room){(uint64_t)fs.f_bavail * fs.f_frsize, fs.f_files ? (uint64_t)fs.f_favail : UINT64_MAX, st.st_dev,
                              true};
}

void disk_need_begin(struct disk_need *n, const char *output, const char *temp, unsigned threads) {
    n->in_memory = threads * THREAD_BYTES;
    n->output = room_of(output);
    n->temp = room_of(temp);
}

/* ---- the estimate ---- */

static bool reads(const struct disk_need *n) {
    return n->phase && (!strcmp(n->phase, "read") || !strcmp(n->phase, "copy"));
}

/* Returns whether the phase is an export: it counts what is on disk, and its total is the size of what it reads, which is less
 * than the text. */
static bool exports(const struct disk_need *n) {
    return n->phase && !strcmp(n->phase, "export");
}

static double share_done(const struct disk_need *n) {
    if (!n->total) return 0;
    return n->done < n->total ? (double)n->done / (double)n->total : 1;
}

static uint64_t extended(uint64_t bytes, double share) {
    return (uint64_t)((double)bytes / (share > LEAST_SHARE ? share : LEAST_SHARE) * MARGIN);
}

/* Estimates the bytes that temporary files need; 0: not known. */
static uint64_t temp_need(const struct disk_need *n) {
    return n->quota->temp_bytes ? extended(n->quota->temp_bytes, reads(n) ? share_done(n) : 1) : 0;
}

static uint64_t output_need(const struct disk_need *n) {
    const uint64_t written = n->quota->output_bytes - n->before;
    const bool begun = written && share_done(n) >= LEAST_SHARE;
    if (n->phase && !strcmp(n->phase, "read")) return 0;
    const uint64_t held = exports(n) ? 0 : written < n->in_memory ? written : n->in_memory;
    uint64_t rest = begun ? extended(written + held, share_done(n)) : n->total > written ? n->total : written;
    return rest ? n->before + rest + SMALL_FILES_BYTES : 0;
}

/* ---- the words ---- */

static bool is_full(const struct err *err) {
    return err->code == ERR_LIMIT && (err->sys == ENOSPC || err->sys == EDQUOT) && !strstr(err->text, ": make room");
}

/* "; DIR had 1.4 MiB free when the run began, and needs about 5.2 MiB" */
static void add_figures(struct err *err, const char *dir, const struct disk_room *had, uint64_t need, bool at_least) {
    char a[32], b[32];
    err_append(err, "; %s", dir);
    if (had->known && err->sys == ENOSPC) err_append(err, " had %s free when the run began", report_bytes(had->bytes, a));
    if (need)
        err_append(err, "%s needs %s %s", had->known && err->sys == ENOSPC ? ", and" : "", at_least ? "more than" : "about",
                   report_bytes(need, b));
}

/* The directory of a path, cut off in place: the nearest one above it. */
static void cut_to_parent(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(path, 2, ".");
    else
        slash[slash == path] = 0;
}

void disk_need_explain_now(const char *place, const char *remedy, struct err *err) {
    char dir[PATH_MAX], bytes[32];
    struct statvfs fs;
    struct stat st;
    if (!is_full(err) || strlen(place) + 2 > sizeof dir) return;
    snprintf(dir, sizeof dir, "%s", place);
    while ((stat(dir, &st) || !S_ISDIR(st.st_mode)) && strcmp(dir, ".") != 0 && strcmp(dir, "/") != 0) cut_to_parent(dir);
    if (statvfs(dir, &fs)) return;
    if (fs.f_files && fs.f_favail < FEW_FILES)
        err_append(err, "; %s has room for %llu more files", dir, (unsigned long long)fs.f_favail);
    else
        err_append(err, "; %s has %s free", dir, report_bytes((uint64_t)fs.f_bavail * fs.f_frsize, bytes));
    err_append(err, ": make room there, or %s", remedy);
}

static bool out_of_files(const struct disk_need *n, const struct disk_room *had, uint64_t need) {
    return had->known && had->files < FEW_FILES && had->bytes > need && had->bytes > 2 * n->quota->peak_bytes;
}

static void explain_temp(const struct disk_need *n, const char *dir, bool one_disk, struct err *err) {
    add_figures(err, dir, &n->temp, temp_need(n), false);
    err_append(
        err,
        " for temporary files%s: make room there, give --temp-dir on another disk, or more --memory, so that less is spilled",
        one_disk ? ", and up to as much again for the output" : "");
}

static void explain_output(const struct disk_need *n, const char *dir, bool one_disk, struct err *err) {
    const uint64_t spilled = one_disk ? temp_need(n) : 0, need = output_need(n);
    if (out_of_files(n, &n->output, need)) {
        err_append(err,
                   "; %s had room for only %llu more files when the run began: make room for more there, or choose another -o",
                   dir, (unsigned long long)n->output.files);
        return;
    }
    add_figures(err, dir, &n->output, need ? need + spilled : 0, exports(n) && share_done(n) < LEAST_SHARE);
    if (spilled) err_append(err, ", temporary files included");
    err_append(err, ": make room there, or choose another -o%s", spilled ? ", or --temp-dir on another disk" : "");
}

void disk_need_explain(const struct disk_need *n, const char *output, const char *temp, struct err *err) {
    const bool one_disk = n->output.known && n->temp.known && n->output.device == n->temp.device;
    if (!is_full(err)) return;
    if (temp && n->quota && n->quota->temp_full) /* inputs on servers take space before there is a quota */
        explain_temp(n, output && !strncmp(temp, output, strlen(output)) ? output : temp, one_disk, err);
    else if (output && strstr(err->text, output))
        explain_output(n, output, one_disk, err);
}
