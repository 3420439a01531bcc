/* Reads the end record of a zip before libarchive does: libarchive holds the whole directory in memory, and takes an entry with a
 * damaged signature for the end of it. See section 4.3.16 of PKWARE's APPNOTE.TXT. */
#include "formats/archive/archive_zip.h"

#include "base/bytes.h"
#include "base/fs.h"

#include <string.h>

enum { MEMBERS_AT = 10, BYTES_AT = 12, OFFSET_AT = 16 };

/* Offsets count from the beginning of the zip. Records of ZIP64 may follow the directory; a zip with a member is larger. */
bool zip_end_is_joined(const uint8_t end[ZIP_END_BYTES], uint64_t at) {
    enum { MEMBER_BYTES = 30 + 46 + ZIP_END_BYTES };
    const uint32_t bytes = le32(end + BYTES_AT), offset = le32(end + OFFSET_AT);
    const uint64_t behind = (uint64_t)offset + bytes;
    return bytes != UINT32_MAX && offset != UINT32_MAX && behind < at && at - behind >= MEMBER_BYTES;
}

int zip_refuse_joined(const char *path, struct err *err) {
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: several zips in one file, of which the last lists only its own members: unpack them, or give them one by "
                   "one",
                   path);
}

struct zip_directory zip_directory_find(int fd, uint64_t size) {
    enum { END_BYTES = ZIP_END_BYTES, TAIL_BYTES = 16384 }; /* libarchive looks no further */
    uint8_t tail[TAIL_BYTES];
    struct zip_directory none = {UINT64_MAX, ZIP_MEMBERS_UNKNOWN, false};
    struct err err = {0};
    size_t n = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;
    if (n < END_BYTES || fs_pread_full(fd, tail, n, size - n, "", &err)) return none;
    for (size_t i = n - END_BYTES + 1; i-- > 0;) {
        if (memcmp(tail + i, "PK\5\6", 4) != 0) continue;
        uint32_t bytes = le32(tail + i + BYTES_AT);
        uint32_t members = tail[i + MEMBERS_AT] | (uint32_t)tail[i + MEMBERS_AT + 1] << 8;
        if (bytes == UINT32_MAX) return none;
        return (struct zip_directory){bytes, members == UINT16_MAX ? ZIP_MEMBERS_UNKNOWN : members,
                                      zip_end_is_joined(tail + i, size - n + i)};
    }
    return none;
}
