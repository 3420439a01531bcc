/* The four bytes that HBase puts before a protobuf message on disk (ProtobufMagic). What lacks them is damaged, or a Writable
 * of HBase 0.94 and older. */
#ifndef FORMATS_HBASE_PBUF_H
#define FORMATS_HBASE_PBUF_H

#include "base/bytes.h"

enum { PBUF_BYTES = 4 };

/* Takes the magic from the head of *in. false: it is not there, *in unchanged. */
static inline bool pbuf_take(struct bytes *in) {
    if (in->n < PBUF_BYTES || memcmp(in->p, "PBUF", PBUF_BYTES) != 0) return false;
    *in = bytes_of(in->p + PBUF_BYTES, in->n - PBUF_BYTES);
    return true;
}

#endif
