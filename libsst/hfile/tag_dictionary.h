/* Tags of one encoded block through a dictionary (HBase's TagCompressionContext over an LRUDictionary of 127 entries).
 * Each tag is either new: 0xFF, varint length, type byte and value, or an entry: its index as u16. When all entries are
 * taken, a new tag replaces the one whose last use is longest ago. Cleared at every block.
 * Entries borrow the bytes they were added from: the block that is read, or the cells that are written. */
#ifndef HFILE_TAG_DICTIONARY_H
#define HFILE_TAG_DICTIONARY_H

#include "base/bytes.h"

enum { TAG_DICTIONARY_ENTRIES = 127 };

struct tag_dictionary {
    unsigned n; /* the only field that has to be set: 0 = empty */
    uint8_t newest, oldest;
    uint8_t newer[TAG_DICTIONARY_ENTRIES], older[TAG_DICTIONARY_ENTRIES]; /* neighbours in order of use */
    uint32_t hashes[TAG_DICTIONARY_ENTRIES];
    struct bytes tags[TAG_DICTIONARY_ENTRIES]; /* type byte + value */
};

/* Most bytes an array of n bytes takes: each tag gives its u16 length for 0xFF and a length of up to 3 bytes. */
static inline size_t tag_dictionary_bound(size_t n) {
    return 2 * n;
}
/* A valid tag array (u16 length, type byte, value each) to p; returns the end. */
uint8_t *tag_dictionary_put(struct tag_dictionary *d, struct bytes tags, uint8_t *p);
/* Takes so many tags from *in as make exactly n bytes of array at p. NULL, or what is wrong with them. */
const char *tag_dictionary_take(struct tag_dictionary *d, struct bytes *in, uint8_t *p, size_t n);

#endif
