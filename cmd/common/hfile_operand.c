/* Operands of commands that read HFiles and datasets as they are on disk: anything else is named for what it is, with the
 * commands that do read it. Reads the end of a file first, its content only if that is no HFile. */
#include "cmd/common/hfile_operand.h"
#include "cmd/common/environment.h"
#include "cmd/common/sources_below.h"

#include "base/fd.h"
#include "base/fs.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "formats/hbase/store_files.h"
#include "hfile/hfile_open.h"
#include "hfile/pack_member.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

/* Returns whether path ends as an HFile does: 1, 0, -1. */
static int check_end(const char *path, struct err *err) {
    uint8_t tail[TRAILER_V3_BYTES];
    struct pack_member member;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = -1;
    if (fd < 0 && errno == ENOTDIR && pack_member_parse(path, &member)) return 1; /* packs hold nothing else */
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
    if (fstat(fd, &st)) {
        err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_INPUT, "%s: not a regular file", path);
    } else {
        size_t n = st.st_size < (off_t)sizeof tail ? (size_t)st.st_size : sizeof tail;
        rc = fs_pread_full(fd, tail, n, (uint64_t)st.st_size - n, path, err);
        if (!rc) rc = hfile_looks_like(bytes_of(tail, n));
    }
    fd_close(fd);
    return rc;
}

static int refuse_content(const struct environment *env, const char *path, const struct content *c, struct err *err) {
    const char *command = env->o.command->name;
    if (c->is_empty) return err_set(err, ERR_INPUT, "%s: is empty, so not an HFile", path);
    if (c->archive)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: is an archive (%s), which %s cannot read; unpack it, or use obkv-verify dump, diff or skew, or "
                       "obkv-import, which read its content",
                       path, c->archive, command);
    if (c->format && c->is_compressed)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: is compressed (%s inside), which %s cannot read; unpack it, or use obkv-verify dump, diff or "
                       "skew, or obkv-import, which read it directly",
                       path, c->format->name, command);
    if (c->format && strcmp(c->format->name, "hfile"))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: not an HFile but probably %s, which %s cannot read; use obkv-verify dump, diff or skew, or "
                       "convert it with obkv-import",
                       path, c->format->name, command);
    return err_set(err, ERR_INPUT, "%s: not an HFile, truncated, or followed by other bytes: no trailer at the end", path);
}

int hfile_operand_file(const struct environment *env, const char *path, struct err *err) {
    struct content content;
    struct err unread = {0}; /* what is damaged is no HFile, however it is damaged */
    if (!strcmp(path, "-"))
        return err_set(
            err, ERR_USAGE,
            "standard input ('-'): %s reads HFiles from their end, so they must be files on disk; obkv-verify dump, diff "
            "and skew can read a pipe",
            env->o.command->name);
    int is = check_end(path, err);
    if (is) return is < 0 ? -1 : 0;
    if (format_content(path, memory_share(&env->job, MEMORY_UNPACK), &content, &unread)) {
        if (unread.sys || unread.code == ERR_LIMIT) err_keep(err, &unread);
        if (err->code) return -1;
        content = (struct content){0};
    }
    return refuse_content(env, path, &content, err);
}

/* ---- directories ---- */

static int has_entry(const char *dir, const char *name, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_exists(path, err) : -1;
    free(path);
    return rc;
}

int hfile_operand_refuse_directory(const struct environment *env, const char *dir, struct err *err) {
    enum tree_kind kind;
    if (tree_kind_of(dir, &kind, err)) return -1;
    if (kind != TREE_NONE)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s is an HBase directory, not a dataset; list its content with obkv-import --list, or read it with "
                       "obkv-verify check, diff or dump",
                       dir);
    int unfinished = has_entry(dir, ".obkv", err);
    if (unfinished < 0) return -1;
    if (unfinished)
        return err_set(
            err, ERR_UNSUPPORTED,
            "%s has no MANIFEST.json: the run that was writing a dataset there did not finish; the next run removes its "
            "files",
            dir);
    if (sources_below_refuse(dir, ERR_UNSUPPORTED, err)) return -1;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s is a directory without MANIFEST.json, so not a dataset, and holds nothing of HBase; %s reads "
                   "datasets and HFiles; obkv-verify dump, diff and skew and obkv-import read directories of files",
                   dir, env->o.command->name);
}
