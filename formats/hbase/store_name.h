/* Names of store files and what they say. Source: HBase's StoreFileInfo, HFileLink, MobFileName (branch 2.6). */
#ifndef FORMATS_HBASE_STORE_NAME_H
#define FORMATS_HBASE_STORE_NAME_H

#include "base/bytes.h"

enum store_name_kind {
    STORE_NAME_OTHER,     /* no store file: passed over */
    STORE_NAME_FILE,      /* hex name, `_SeqId_<n>_` of a bulk load or `_del` may follow */
    STORE_NAME_MOB,       /* md5(start key) yyyymmdd uuid [_region] */
    STORE_NAME_LINK,      /* [ns=]table=region-file; the file may be a mob file */
    STORE_NAME_REFERENCE, /* <file or link>.<encoded parent region> */
};

/* All borrowed from the name parsed. */
struct store_name {
    enum store_name_kind kind;
    struct bytes ns, table; /* LINK: where it points; ns "default" where the name has none */
    struct bytes region;    /* LINK: encoded region; REFERENCE: encoded parent region */
    struct bytes file;      /* LINK: name of the file there; REFERENCE: what stands before the last dot (a file or a link name) */
    bool has_seq;           /* the name (of a link or reference: of the file it leads to) ends with _SeqId_<n>_ */
    uint64_t seq;           /* <n>; at most INT64_MAX */
};

struct store_name store_name_parse(struct bytes name);

#endif
