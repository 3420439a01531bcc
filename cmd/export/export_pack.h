/* Compression of load files. Every piece becomes a gzip member or zstd frame of its own, so that pieces are compressed side by
 * side and the bytes of a file do not depend on who did it. */
#ifndef CMD_EXPORT_EXPORT_PACK_H
#define CMD_EXPORT_EXPORT_PACK_H

#include "base/buf.h"
#include "cmd/oceanbase/statements.h"

struct export_pack {
    enum load_compression kind;
    int level;
    void *ctx; /* made on first use */
    struct buf out;
};

/* "none", "gzip", "zstd", the latter two with ":LEVEL". ERR_USAGE. */
int export_pack_parse(const char *text, enum load_compression *kind, int *level, struct err *err);
struct export_pack export_pack_make(enum load_compression kind, int level);
/* *out is the piece itself, or its compressed form in p->out. */
int export_pack_run(struct export_pack *p, struct bytes in, struct bytes *out, struct err *err);
void export_pack_free(struct export_pack *p);
/* Heap for pieces of so many bytes. */
size_t export_pack_memory(enum load_compression kind, int level, size_t piece_bytes);
const char *export_pack_extension(enum load_compression kind); /* "", ".gz", ".zst" */

#endif
