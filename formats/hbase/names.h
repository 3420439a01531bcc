/* The names HBase puts on disk: text as part of a path or of a message, namespaces and tables, store files.
 * Exports: table */
#ifndef FORMATS_HBASE_NAMES_H
#define FORMATS_HBASE_NAMES_H

#include "base/bytes.h"
#include "base/err.h"

/* Text out of metadata files that becomes part of a path or of a message: hostile until it has passed here. */

enum { DISK_NAME_MAX_BYTES = 255, DISK_NAME_SHOWN = 128, DISK_NAME_SHOWN_BYTES = DISK_NAME_SHOWN + 4 };

/* A copy that is safe as one component of a path: 1 to 255 bytes, no '/', no NUL or other control character, neither "." nor
 * "..". Free it. NULL: ERR_INPUT "WHAT …". */
char *disk_name_copy(struct bytes name, const char *what, struct err *err);

/* Writes b into out for messages: control characters as '?', shortened. Returns out. */
const char *disk_name_shown(struct bytes b, char out[DISK_NAME_SHOWN_BYTES]);

/* Namespace and name of a table: their characters, their protobuf form, their text form `ns:table`. Source: TableName. */

#define TABLE_NAME_DEFAULT_NS "default"

/* Letters, digits and '_'; a table also has '-' and '.', but not first. Any byte from 0x80 counts as a letter: HBase takes
 * every Unicode letter. */
bool table_name_is_ns(struct bytes ns);
bool table_name_is_table(struct bytes name);

/* A TableName message: 1 namespace, 2 name. Fresh strings (free them) that are safe as parts of a path. */
int table_name_parse(struct bytes message, char **ns, char **name, struct err *err);
/* `table` or `ns:table`. */
int table_name_split(struct bytes text, char **ns, char **name, struct err *err);

/* Names of store files and what they say. Source: HBase's StoreFileInfo, HFileLink, MobFileName (branch 2.6). */

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
    struct bytes file;      /* LINK: name of the file there; REFERENCE: the part before the last dot (a file or a link name) */
    bool has_seq;           /* the name (of a link or reference: of the file it leads to) ends with _SeqId_<n>_ */
    uint64_t seq;           /* <n>; at most INT64_MAX */
};

struct store_name store_name_parse(struct bytes name);

#endif
