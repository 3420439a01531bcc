/* The small files that describe a table: descriptors (.tableinfo), regions (.regioninfo), references, lists of live files, and
 * the checksums beside files. Parsing is apart from reading files, so that tests and fuzz targets need no disk.
 * Exports: attribute */
#ifndef FORMATS_HBASE_METADATA_H
#define FORMATS_HBASE_METADATA_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "table/table.h"

#include <stdbool.h>

/* The four bytes that HBase puts before a protobuf message on disk (ProtobufMagic). What lacks them is damaged, or a Writable
 * of HBase 0.94 and older. */

enum { PBUF_BYTES = 4 };

/* Takes the magic from the head of *in. false: it is not there, *in unchanged. */
static inline bool pbuf_take(struct bytes *in) {
    if (in->n < PBUF_BYTES || memcmp(in->p, "PBUF", PBUF_BYTES) != 0) return false;
    *in = bytes_of(in->p + PBUF_BYTES, in->n - PBUF_BYTES);
    return true;
}

/* Attributes and configuration of tables and families: repeated pairs of texts in a protobuf message (BytesBytesPair and
 * NameStringPair, which look alike). Of equal keys the last counts, and an empty value removes the key, as in HBase's builders.
 * Typed getters leave *out as it is when the key is absent. */

/* Field numbers, of ColumnFamilySchema and TableSchema both but for the table's configuration. */
enum { ATTRIBUTE_FIELD = 2, ATTRIBUTE_FAMILY_CONFIGURATION = 3, ATTRIBUTE_TABLE_CONFIGURATION = 4 };

/* A pair's message. false: it is none. */
bool attribute_pair(struct bytes in, struct bytes *key, struct bytes *value);
/* Borrowed from the message; p == NULL: absent. The message is well-formed, its pairs may not be: those are passed over. */
struct bytes attribute_find(struct bytes message, uint32_t field, const char *key);

/* As Long.parseLong takes it: decimal digits, a sign. */
bool attribute_number(struct bytes text, int64_t *out);

int attribute_int(struct bytes message, const char *key, int64_t least, int64_t *out, struct err *err); /* up to INT32_MAX */
void attribute_bool(struct bytes message, const char *key, bool *out); /* as Boolean.parseBoolean: all but "true" is false */
/* A name of letters, digits and '_', in upper case; `absent` when it is not there. Free it. NULL: error. */
char *attribute_word(struct bytes message, const char *key, const char *absent, struct err *err);

int attribute_unusable(struct err *err, const char *key, struct bytes value, const char *wanted);
bool attribute_is(struct bytes value, const char *word); /* any case */

/* All attributes and settings of a table or family as texts, for callers that use more of them than a descriptor holds. */

enum { ATTRIBUTE_LIST_MOST = 1000, ATTRIBUTE_TEXT_MAX_BYTES = 1000 };

struct attribute_text {
    char *name, *value;
};

/* Zero-initialise. Of equal names the last counts. */
struct attribute_list {
    struct attribute_text *p;
    size_t n;
};

/* Adds the pairs of one field of a well-formed message. Leaves out what is not text (holds a NUL), is longer than
 * ATTRIBUTE_TEXT_MAX_BYTES or comes after ATTRIBUTE_LIST_MOST others: no setting is like that. */
int attribute_list_add(struct attribute_list *l, struct bytes message, uint32_t field, struct err *err);
void attribute_list_free(struct attribute_list *l);

/* Table descriptors: TableSchema of HBase.proto, as in .tableinfo files and snapshot manifests; attributes are decoded as
 * TableDescriptorBuilder and ColumnFamilyDescriptorBuilder do, with the same defaults. */

struct hbase_family {
    char *name;
    struct family_rules rules;            /* versions_given is always true */
    char *compression, *encoding, *bloom; /* "SNAPPY", "FAST_DIFF", "ROW": upper case, not checked further, never NULL */
    uint32_t block_bytes;                 /* 65536 */
    uint32_t bloom_prefix;                /* of ROWPREFIX_FIXED_LENGTH: RowPrefixBloomFilter.prefix_length; 0 = not set */
    bool compress_tags;                   /* true */
    bool is_mob;
    bool may_be_mob;        /* it is not known, without a descriptor */
    uint64_t mob_threshold; /* 102400 */
    bool encrypted;
    /* Only files in .filelist are live: hbase.store.file-tracker.impl is FILE, or MIGRATION unless that is from DEFAULT. */
    bool tracks_files;
    struct attribute_list attributes; /* configuration, then attributes */
};

struct hbase_table {
    char *ns, *name; /* "default" */
    struct hbase_family *families;
    uint32_t n_families;
    bool tracks_files;                /* some family does */
    struct attribute_list attributes; /* attributes, then configuration */
};

/* A bare TableSchema message. Of settings that are no attributes of a family (hbase.…) those among a family's attributes beat
 * its configuration, which beats what the table has (StoreUtils.createStoreConfiguration). A value that HBase could not use is
 * ERR_INPUT naming family, key and value. On failure nothing is left to be freed. */
int hbase_table_parse(struct bytes message, struct hbase_table *out, struct err *err);
/* The newest whole .tableinfo.* of a directory (.tabledesc of a table, or of a snapshot without data.manifest).
 * 1 read, 0 none, -1 error. The forms of HBase 0.90 and later are read, older ones are ERR_UNSUPPORTED. */
int hbase_tableinfo_read(const char *dir, struct hbase_table *out, struct err *err);
void hbase_table_free(struct hbase_table *t);

/* shell_script.c: the create statement of HBase's shell in a text, or what `describe` printed, up to the end of the text, and
 * on which line it begins. false: there is none. */
struct shell_text {
    struct bytes text;
    size_t line;
    bool is_description;
};
bool shell_create_find(struct bytes text, struct shell_text *out);
bool shell_create_begins(struct bytes text);
/* shell_describe.c: is this line the first of a description, or, if only a part was copied, that above the families? */
bool shell_describe_begins(struct bytes line);
/* The create statement that a description amounts to. ERR_USAGE names the line. */
int shell_describe_statement(struct bytes text, size_t line, struct buf *out, struct err *err);
/* shell_create.c, of statements and descriptions. ERR_USAGE names the line. */
int shell_create_parse(struct bytes text, struct hbase_table *out, struct err *err);
/* The shell takes this attribute by its name; others belong into METADATA. */
bool shell_create_knows(struct bytes name);
/* 1 read, 0 the file has nothing of the kind, -1 error. */
int shell_create_read(const char *path, struct hbase_table *out, struct err *err);

/* Which rows a region holds: RegionInfo of HBase.proto, as in .regioninfo files and snapshot manifests. */

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

/* The same files as HBase 0.90 to 0.94 wrote them (writables.c): what is after the description is ignored. ERR_INPUT: not whole;
 * ERR_UNSUPPORTED: an older form, by its number. */

/* All but `encoded`. On failure *out is still to be freed. */
int writable_region_parse(struct bytes content, struct region_info *out, struct err *err);
/* As a TableSchema message. */
int writable_table_message(struct bytes content, struct buf *message, struct err *err);

/* Which half of a parent's store file a daughter region sees (Reference, HalfStoreFileReader). */

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

/* File-based store tracking (2.5+): which files of a family directory are live. Source: StoreFileListFile, StoreFileList. */

struct listed_file {
    char *name;
    uint64_t bytes;
    bool is_reference; /* newer releases keep references only here */
    struct reference reference;
};

struct file_list {
    struct listed_file *files;
    size_t n;
};

/* One track file's content: i32 length, message, i32 CRC-32. ERR_INPUT when it is not whole, ERR_UNSUPPORTED for a version that
 * HBase 2.6 does not read either. On failure nothing is left to be freed. */
int file_list_parse(struct bytes content, uint64_t *timestamp, struct file_list *out, struct err *err);
/* The live list of family_dir/.filelist: highest sequence in the names, of its two files the one with the later timestamp; half
 * written ones are passed over, damaged ones and no whole one at all are errors. A .filelist without files is an empty list.
 * 1 read, 0 there is no .filelist, -1 error. */
int file_list_read(const char *family_dir, struct file_list *out, struct err *err);
void file_list_free(struct file_list *l);

/* Hadoop's side files `.NAME.crc` of local and copied trees: "crc\0", i32 bytes per sum, a CRC-32 (seen), or CRC-32C, a
 * chunk. Source: ChecksumFileSystem. */

/* Checks path against its side file. 1 it exists and fits, 0 none, -1 error: ERR_INPUT names file and offset. */
int crc_file_check(const char *path, struct err *err);

#endif
