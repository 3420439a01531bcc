/* Any bytes as a track file: as they are, and as a message with the length and the checksum that fit, so that what is behind
 * the checksum is reached. */
#include "formats/hbase/file_list.h"
#include "fuzz.h"

#include "base/buf.h"

#include <libdeflate.h>

static void try(struct bytes content) {
    struct file_list l;
    struct err err = {0};
    uint64_t timestamp;
    if (file_list_parse(content, &timestamp, &l, &err)) {
        require((err.code == ERR_INPUT || err.code == ERR_UNSUPPORTED) && err.text[0] && !l.files && !l.n);
        return;
    }
    for (size_t i = 0; i < l.n; i++) {
        const char *name = l.files[i].name;
        require(name && name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
    }
    file_list_free(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf b = {0};
    struct err err = {0};
    try(bytes_of(data, size));
    require(buf_put_be32(&b, (uint32_t)size, &err) == 0 && buf_put(&b, data, size, &err) == 0);
    require(buf_put_be32(&b, libdeflate_crc32(0, data, size), &err) == 0);
    try(buf_bytes(&b));
    buf_free(&b);
    return 0;
}
