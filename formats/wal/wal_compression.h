/* Dictionaries of compressed write-ahead logs. HBase's LRUDictionary as a reader needs it: entries by index; a full one gives
 * the index that was used least recently to the next entry. */
#ifndef FORMATS_WAL_WAL_COMPRESSION_H
#define FORMATS_WAL_WAL_COMPRESSION_H

#include "base/bytes.h"
#include "base/err.h"

enum { WAL_DICT_LARGE = 32767, WAL_DICT_SMALL = 127 };

struct wal_dict {
    struct wal_dict_entry {
        uint8_t *p;
        uint32_t n, room;
        int32_t older, newer; /* neighbours by use; -1: none */
    } * entries;
    int32_t n, most;
    int32_t newest, oldest;
};

void wal_dict_init(struct wal_dict *d, int32_t most);
/* Adds a copy of b, which takes room from *budget. Nothing is added for no bytes, as HBase does. */
int wal_dict_add(struct wal_dict *d, struct bytes b, size_t *budget, struct err *err);
/* Valid until the next call. false: there is no entry with this index. */
bool wal_dict_get(struct wal_dict *d, unsigned index, struct bytes *out);
void wal_dict_free(struct wal_dict *d);

/* Decompresses values: GZ is one stream over all values of a log, other codecs compress each value by itself. */
struct wal_value_codec;
struct wal_value_codec *wal_value_codec_open(unsigned ordinal, struct err *err);
/* Exactly n bytes come out of src, which must be used up. ERR_INPUT says what is wrong, without a place. */
int wal_value_unpack(struct wal_value_codec *c, struct bytes src, uint8_t *out, size_t n, struct err *err);
void wal_value_codec_close(struct wal_value_codec *c); /* NULL is fine */

#endif
