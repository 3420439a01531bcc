/* Reads the end record of a zip before libarchive does: libarchive holds the whole directory in memory, and takes an entry with a
 * damaged signature for the end of it. See section 4.3.16 of PKWARE's APPNOTE.TXT. */
#include "formats/archive/archive_source.h"

#include "base/fs.h"

#include <string.h>

struct zip_directory zip_directory_find(int fd, uint64_t size) {
    enum { END_BYTES = 22, MEMBERS_AT = 10, BYTES_AT = 12, TAIL_BYTES = 16384 }; /* libarchive looks no further */
    uint8_t tail[TAIL_BYTES];
    struct zip_directory none = {UINT64_MAX, ZIP_MEMBERS_UNKNOWN};
    struct err err = {0};
    size_t n = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;
    if (n < END_BYTES || fs_pread_full(fd, tail, n, size - n, "", &err)) return none;
    for (size_t i = n - END_BYTES + 1; i-- > 0;) {
        if (memcmp(tail + i, "PK\5\6", 4) != 0) continue;
        uint32_t bytes = le32(tail + i + BYTES_AT);
        uint32_t members = tail[i + MEMBERS_AT] | (uint32_t)tail[i + MEMBERS_AT + 1] << 8;
        if (bytes == UINT32_MAX) return none;
        return (struct zip_directory){bytes, members == UINT16_MAX ? ZIP_MEMBERS_UNKNOWN : members};
    }
    return none;
}
