/* HFiles inside of a pack, by paths that say where they are: DIR/family/w00000.pack/p00017-000.hfile@OFFSET+BYTES. */
#ifndef HFILE_PACK_MEMBER_H
#define HFILE_PACK_MEMBER_H

#include "base/err.h"
#include "hfile/hfile.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct pack_member {
    char pack[PATH_MAX];
    uint64_t offset, bytes;
};

/* Returns whether the path is such a one, and takes it apart. */
bool pack_member_parse(const char *path, struct pack_member *out);
/* Makes one; pack: FAMILY/w00000.pack, or a longer path. */
char *pack_member_path(const char *pack, uint32_t partition, uint32_t number, uint64_t offset, uint64_t bytes, struct err *err);
/* FAMILY/w00000.pack */
char *pack_member_pack_path(const char *family, uint32_t number, struct err *err);
/* Returns whether a file has the name of a pack. */
bool pack_member_pack_is(const char *path);
/* Opens the bytes of a member. ERR_INPUT with ENOENT: there is no such pack. */
int pack_member_open(const struct pack_member *m, const char *path, struct hfile_bytes *out, struct err *err);
/* As pack_member_open, of an open file, which it owns from then on, also on failure. */
int pack_member_of_fd(int fd, const struct pack_member *m, const char *path, struct hfile_bytes *out, struct err *err);
/* As stat(2); of a member, what its pack is, with the member's length. */
int pack_member_stat(const char *path, struct stat *st);
/* As file_sum_of, also of a member. */
int pack_member_sum(const char *path, char hex[17], struct err *err);

#endif
