/* Which rows a region holds: RegionInfo of HBase.proto, as in .regioninfo files and snapshot manifests. */
#ifndef FORMATS_HBASE_REGION_INFO_H
#define FORMATS_HBASE_REGION_INFO_H

#include "base/buf.h"

enum { REGION_ENCODED_BYTES = 33 };

struct region_info {
    uint64_t id; /* ms */
    char *ns, *table;
    struct buf start, end; /* empty: open */
    bool offline, split;
    uint32_t replica;
    char encoded[REGION_ENCODED_BYTES]; /* md5 in hex of `table,start,id[_replica].`; computed */
};

/* A bare RegionInfo message. ERR_INPUT says what is wrong with it, without a file's name. */
int region_info_parse(struct bytes message, struct region_info *out, struct err *err);
/* A .regioninfo file: PBUF, delimited message, text behind it is ignored. Older, Writable ones are ERR_UNSUPPORTED. */
int region_info_read(const char *path, struct region_info *out, struct err *err);
void region_info_free(struct region_info *r);

#endif
