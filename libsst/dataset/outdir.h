/* The output directory of a run: lock, work area, clean-up after an unfinished run, and atomic publishing.
 *
 *   OUT/.obkv/lock      held (flock) while a run works
 *   OUT/.obkv/tmp/      everything until commit
 *   OUT/.obkv/journal   names that are being renamed into OUT: a first publication is undone by it, a replacement completed
 *   OUT/_report/        rejects and reports, kept also when a run fails
 *   OUT/MANIFEST.json   renamed into place last: its presence means finished */
#ifndef DATASET_OUTDIR_H
#define DATASET_OUTDIR_H

#include "base/buf.h"
#include "base/err.h"
#include "dataset/publication.h"

/* Files beside MANIFEST.json where an output is signed: the sums of all files, and the signature of these. An output that
 * replaces another one replaces them too, or removes them. */
extern const char *const outdir_signature[2];

enum outdir_state {
    OUTDIR_NEW,       /* was not there, or empty */
    OUTDIR_FINISHED,  /* holds a manifest */
    OUTDIR_UNFINISHED /* holds the traces of a run that did not finish */
};

struct outdir {
    char *path, *work, *tmp, *report;
    int lock_fd;
    bool made;         /* OUT did not exist before: removed again when a run fails without leaving anything */
    bool is_sent;      /* OUT is on a server, and published there */
    size_t made_below; /* nor did the directories on the way to it that are longer than these bytes of path */
};

/* Reads only, except that it clears what a killed run left of a finished output. A directory with anything but a dataset is
 * ERR_USAGE. */
int outdir_look(const char *path, enum outdir_state *state, struct err *err);
/* Creates the directories, takes the lock (ERR_BUSY when held) and removes the files of an unfinished run, which *cleaned
 * reports. */
int outdir_open(struct outdir *o, const char *path, bool *cleaned, struct err *err);
/* Makes OUT/_report (o->report is its path); what an earlier run left in it goes. */
int outdir_need_report(struct outdir *o, struct err *err);
/* Syncs, then renames the tmp/<family> directories into OUT, the manifest last. Replaces a finished dataset and its report. */
int outdir_publish(struct outdir *o, char *const *families, size_t n, const char *manifest_text, struct err *err);
/* As outdir_publish, for outputs other than datasets: names of files or directories in tmp/, and those of the output that is
 * replaced. */
int outdir_replace(struct outdir *o, const struct name_list *names, const struct name_list *old, const char *manifest_text,
                   struct err *err);
/* fsyncs OUT/.obkv/tmp/<path> of every file, several at a time: before outdir_publish. */
int outdir_sync_files(const struct outdir *o, char *const *paths, size_t n, unsigned threads, struct err *err);
/* Removes the work area (not a held report) and the lock. A failed run leaves no tmp files. */
void outdir_close(struct outdir *o);

#endif
