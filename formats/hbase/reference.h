/* Which half of a parent's store file a daughter region sees (Reference, HalfStoreFileReader). */
#ifndef FORMATS_HBASE_REFERENCE_H
#define FORMATS_HBASE_REFERENCE_H

#include "base/buf.h"

struct reference {
    bool top;             /* rows >= split_row; else rows < split_row */
    struct buf split_row; /* of the split key, which is a serialised key; may be empty: TOP of it is the whole file */
};

/* On failure nothing is left to be freed.
 *
 * A bare Reference message (snapshot manifests). */
int reference_parse(struct bytes message, struct reference *out, struct err *err);
/* A reference file's content: PBUF + message, or the old Writable form (u8, vint length, key). */
int reference_parse_file(struct bytes content, struct reference *out, struct err *err);
int reference_read(const char *path, struct reference *out, struct err *err);
void reference_free(struct reference *r);

#endif
