/* Reads which rows a region holds: RegionInfo of HBase.proto, as in .regioninfo files and snapshot manifests. */
#ifndef FORMATS_HBASE_REGION_INFO_H
#define FORMATS_HBASE_REGION_INFO_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum { REGION_ENCODED_BYTES = 33 };

struct region_info {
    uint64_t id; /* ms */
    char *ns, *table;
    struct buf start, end; /* empty: open */
    bool offline, split;
    bool short_name; /* of HBase 0.20: its directory is not called `encoded` */
    uint32_t replica;
    char encoded[REGION_ENCODED_BYTES]; /* md5 in hex of `table,start,id[_replica].`; computed */
};

/* A bare RegionInfo message. ERR_INPUT says what is wrong with it, without a file's name. */
int region_info_parse(struct bytes message, struct region_info *out, struct err *err);
/* A .regioninfo file: PBUF, delimited message, text after it is ignored. Or a Writable of HBase 0.94 and older. */
int region_info_read(const char *path, struct region_info *out, struct err *err);
void region_info_free(struct region_info *r);

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
