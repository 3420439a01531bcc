/* Integers of variable length and the messages made of them: Hadoop's vint and vlong (WritableUtils), protobuf's base-128 varint,
 * and protobuf's wire format, just enough to walk a message field by field and to write one. No schema, no copies. */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include "base/buf.h"
#include "base/bytes.h"

/* ---- integers ---- */

enum { HADOOP_VLONG_MAX = 9, PB_VARINT_MAX = 10 };

/* Write at p (room for the maximum), return the number of bytes written. */
size_t hadoop_vlong_put(uint8_t *p, int64_t v);
size_t pb_varint_put(uint8_t *p, uint64_t v);
size_t hadoop_vlong_size(int64_t v);

/* Take one from the head of *in and advance it. false: truncated or malformed, *in unchanged. */
bool hadoop_vlong_take(struct bytes *in, int64_t *v);
bool pb_varint_take(struct bytes *in, uint64_t *v);

/* ---- protobuf messages ---- */

enum pbwire_type { PBWIRE_VARINT = 0, PBWIRE_FIXED64 = 1, PBWIRE_BYTES = 2, PBWIRE_FIXED32 = 5 };

struct pbwire_field {
    uint32_t number;
    enum pbwire_type type;
    uint64_t value;     /* VARINT, FIXED64, FIXED32 */
    struct bytes bytes; /* BYTES: borrowed from the message; p is never NULL */
};

/* Takes the next field from the head of *in. 1 = *f filled, 0 = end, -1 = malformed (groups count as that). */
int pbwire_next(struct bytes *in, struct pbwire_field *f);
/* Takes a varint length and that many bytes from the head of *in. false: malformed, *in unchanged. */
bool pbwire_delimited(struct bytes *in, struct bytes *out);

int pbwire_put_uint(struct buf *b, uint32_t number, uint64_t v, struct err *err);
int pbwire_put_bytes(struct buf *b, uint32_t number, struct bytes v, struct err *err);
int pbwire_put_varint(struct buf *b, uint64_t v, struct err *err); /* without a field number */

#endif
