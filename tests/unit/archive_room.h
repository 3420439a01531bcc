/* Test support: an archive in a directory of its own, opened as a tree; nothing of it may be left at the end. */
#ifndef TESTS_UNIT_ARCHIVE_ROOM_H
#define TESTS_UNIT_ARCHIVE_ROOM_H

#include "archive_maker.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "formats/archive/archive_tree.h"
#include "formats/archive/archive_tree_open.h"

struct room {
    char dir[40], temp[64], other[64], plain[64], archive[64];
    struct disk_quota quota;
    struct archive_tree_opts o;
    struct archive_tree *tree;
    struct err err;
};

static inline void room_begin(struct room *r) {
    *r = (struct room){.dir = "/tmp/t_archive_tree.XXXXXX"};
    assert_non_null(mkdtemp(r->dir));
    snprintf(r->temp, sizeof r->temp, "%s/temp", r->dir);
    snprintf(r->other, sizeof r->other, "%s/other", r->dir);
    snprintf(r->plain, sizeof r->plain, "%s/plain", r->dir);
    snprintf(r->archive, sizeof r->archive, "%s/archive", r->dir);
    assert_int_equal(fs_mkdirs(r->temp, &r->err) || fs_mkdirs(r->other, &r->err) || fs_mkdirs(r->plain, &r->err), 0);
    r->o = (struct archive_tree_opts){.temp_dir = r->temp, .quota = &r->quota};
}

static inline bool is_empty(const char *dir) {
    return rmdir(dir) == 0;
}

/* Closes the tree; nothing may be left of it. */
static inline void room_end(struct room *r) {
    archive_tree_close(r->tree);
    assert_true(is_empty(r->temp) && is_empty(r->other));
    assert_int_equal(r->quota.used_bytes, 0);
    assert_int_equal(fs_remove_tree(r->dir, &r->err), 0);
}

static inline void write_archive(const struct room *r, struct bytes content) {
    FILE *f = fopen(r->archive, "w");
    assert_int_equal(fwrite(content.p, 1, content.n, f), content.n);
    fclose(f);
}

static inline int open_tree(struct room *r) {
    int rc = archive_tree_open(r->archive, &r->o, &r->tree, &r->err);
    assert_true((rc == 1) == (r->tree != NULL) && (rc < 0) == (r->err.code != ERR_NONE));
    return rc;
}

#endif
