/* The container of Hadoop's SequenceFile, out of bytes in memory: header, then records, compressed blocks and sync markers, and
 * the records of a stretch of whole units, decompressed as they are reached. seqfile_frame.h has the layout. */
#include "base/bytes.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "formats/seqfile/seqfile_frame.h"

/* ---- header and units ---- */

enum { VERSION_OLDEST = 4, VERSION_WITH_CODEC = 5, VERSION_WITH_METADATA = 6, CLASS_MAX_BYTES = 1024 };

/* A key is an ImmutableBytesWritable: i32 length, row. */
enum { KEY_MAX_BYTES = 4 + ROW_MAX_BYTES };

/* Length and bytes of one of many, in turn. 1, 0 = `in` ends inside it (*need = bytes it takes at least), -1 = no length. */
static int take_sized(struct bytes *in, struct bytes *out, size_t *need) {
    struct bytes rest = *in;
    int64_t n;
    if (!hadoop_vlong_take(&rest, &n)) {
        *need = in->n + 1;
        return 0;
    }
    if (n < 0 || n > INT32_MAX) return -1;
    if ((size_t)n > rest.n) {
        *need = in->n - rest.n + (size_t)n;
        return 0;
    }
    *out = bytes_of(rest.p, (size_t)n);
    *in = bytes_of(rest.p + n, rest.n - (size_t)n);
    return 1;
}

static bool is_name(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] <= ' ' || b.p[i] >= 0x7f) return false;
    return b.n > 0;
}

static int take_class(struct bytes *in, struct bytes *out, const char *what, struct err *err) {
    size_t need;
    int rc = take_sized(in, out, &need);
    if (rc < 0 || (rc == 0 && need > CLASS_MAX_BYTES + HADOOP_VLONG_MAX) || (rc > 0 && !is_name(*out)))
        return err_set(err, ERR_INPUT, "the header has no readable name of the %s", what);
    return rc;
}

static int take_flag(struct bytes *in, bool *out, struct err *err) {
    if (!in->n) return 0;
    if (in->p[0] > 1) return err_set(err, ERR_INPUT, "the header says %u where 0 or 1 belongs", in->p[0]);
    *out = in->p[0];
    *in = bytes_of(in->p + 1, in->n - 1);
    return 1;
}

/* The pairs of strings in front of the sync bytes mean nothing to us. */
static int skip_metadata(struct bytes *in, struct err *err) {
    if (in->n < 4) return 0;
    uint32_t pairs = be32(in->p);
    *in = bytes_of(in->p + 4, in->n - 4);
    if (pairs > INT32_MAX) return err_set(err, ERR_INPUT, "the header announces %d pairs of metadata", (int32_t)pairs);
    for (uint64_t i = 0; i < 2 * (uint64_t)pairs; i++) {
        struct bytes string;
        size_t need;
        int rc = take_sized(in, &string, &need);
        if (rc < 0) return err_set(err, ERR_INPUT, "the header's metadata have a string of impossible length");
        if (!rc) return 0;
    }
    return 1;
}

static int check_version(struct bytes in, struct seqfile_header *h, struct err *err) {
    if (in.n < 4) return 0;
    if (memcmp(in.p, "SEQ", 3)) return err_set(err, ERR_INPUT, "does not begin with SEQ, as a SequenceFile does");
    h->version = in.p[3];
    if (h->version >= VERSION_OLDEST && h->version <= VERSION_WITH_METADATA) return 1;
    return err_set(err, ERR_UNSUPPORTED,
                   "is a SequenceFile of version %u; versions %d to %d are supported; copy it with a current Hadoop", h->version,
                   VERSION_OLDEST, VERSION_WITH_METADATA);
}

static int take_coding(struct bytes *in, struct seqfile_header *h, struct err *err) {
    int rc;
    if ((rc = take_flag(in, &h->compressed, err)) <= 0 || (rc = take_flag(in, &h->blocks, err)) <= 0) return rc;
    if (h->blocks && !h->compressed) return err_set(err, ERR_INPUT, "the header announces compressed blocks, but no compression");
    if (h->compressed && h->version >= VERSION_WITH_CODEC && (rc = take_class(in, &h->codec_class, "codec", err)) <= 0) return rc;
    return h->version >= VERSION_WITH_METADATA ? skip_metadata(in, err) : 1;
}

int seqfile_header_parse(struct bytes in, struct seqfile_header *h, struct err *err) {
    struct bytes rest = in;
    int rc;
    *h = (struct seqfile_header){0};
    if ((rc = check_version(in, h, err)) <= 0) return rc;
    rest = bytes_of(in.p + 4, in.n - 4);
    if ((rc = take_class(&rest, &h->key_class, "key class", err)) <= 0) return rc;
    if ((rc = take_class(&rest, &h->value_class, "value class", err)) <= 0) return rc;
    if ((rc = take_coding(&rest, h, err)) <= 0) return rc;
    if (rest.n < SEQFILE_SYNC_BYTES) return 0;
    memset(h->escape, 0xff, 4);
    memcpy(h->escape + 4, rest.p, SEQFILE_SYNC_BYTES);
    h->bytes = in.n - rest.n + SEQFILE_SYNC_BYTES;
    return 1;
}

static int parse_record(struct bytes in, struct seqfile_unit *u, struct err *err) {
    u->kind = SEQFILE_RECORD;
    u->records = 1;
    u->bytes = 8;
    if (in.n < 8) return 0;
    uint32_t n = be32(in.p), key_n = be32(in.p + 4);
    if (n > INT32_MAX || key_n > n || key_n < 4 || key_n > KEY_MAX_BYTES)
        return err_set(err, ERR_INPUT, "its length is %d, that of its key %d", (int32_t)n, (int32_t)key_n);
    u->bytes = 8 + (size_t)n;
    if (in.n >= 12 && be32(in.p + 8) != key_n - 4)
        return err_set(err, ERR_INPUT, "its key of %u bytes says that the row has %d", key_n, (int32_t)be32(in.p + 8));
    if (in.n < u->bytes) return 0;
    u->key = bytes_of(in.p + 8, key_n);
    u->value = bytes_of(in.p + 8 + key_n, n - key_n);
    return 1;
}

static int parse_block(struct bytes in, struct seqfile_unit *u, struct err *err) {
    struct bytes rest = {in.p + SEQFILE_ESCAPE_BYTES, in.n - SEQFILE_ESCAPE_BYTES};
    int64_t records;
    u->kind = SEQFILE_BLOCK;
    u->bytes = in.n + 1;
    if (!hadoop_vlong_take(&rest, &records)) return 0;
    if (records < 0 || records > INT32_MAX) return err_set(err, ERR_INPUT, "it announces %lld records", (long long)records);
    u->records = (uint64_t)records;
    for (size_t i = 0; i < countof(u->buffers); i++) {
        size_t need, at = in.n - rest.n;
        int rc = take_sized(&rest, &u->buffers[i], &need);
        if (rc < 0) return err_set(err, ERR_INPUT, "the length at its byte %zu is impossible", at);
        u->bytes = rc ? in.n - rest.n : at + need;
        if (!rc) return 0;
    }
    return 1;
}

/* A block begins with a sync marker, a record may follow one. */
int seqfile_unit_parse(const struct seqfile_header *h, struct bytes in, struct seqfile_unit *u, struct err *err) {
    static const uint8_t minus_one[4] = {0xff, 0xff, 0xff, 0xff};
    *u = (struct seqfile_unit){.kind = SEQFILE_SYNC, .bytes = h->blocks ? SEQFILE_ESCAPE_BYTES : 4};
    if (in.n < 4) return 0;
    if (!h->blocks && memcmp(in.p, minus_one, 4)) return parse_record(in, u, err);
    u->bytes = SEQFILE_ESCAPE_BYTES;
    size_t n = in.n < SEQFILE_ESCAPE_BYTES ? in.n : SEQFILE_ESCAPE_BYTES;
    if (memcmp(in.p, h->escape, n)) return err_set(err, ERR_INPUT, "it is not the sync marker that belongs there");
    if (n < SEQFILE_ESCAPE_BYTES) return 0;
    return h->blocks ? parse_block(in, u, err) : 1;
}

size_t seqfile_sync_find(const struct seqfile_header *h, struct bytes in, size_t from) {
    if (from >= in.n) return in.n;
    const uint8_t *p = memmem(in.p + from, in.n - from, h->escape, SEQFILE_ESCAPE_BYTES);
    return p ? (size_t)(p - in.p) : in.n;
}

/* ---- records ---- */

void seqfile_records_begin(struct seqfile_records *it, const struct seqfile_header *header, const struct seqfile_codec *codec,
                           size_t limit, struct bytes data, uint64_t offset, uint64_t number) {
    *it = (struct seqfile_records){.header = header,
                                   .unpacker.codec = codec,
                                   .limit = limit,
                                   .rest = data,
                                   .offset = offset,
                                   .unit_offset = offset,
                                   .number = number};
}

void seqfile_records_end(struct seqfile_records *it) {
    for (size_t i = 0; i < countof(it->plain); i++) buf_free(&it->plain[i]);
    seqfile_unpacker_release(&it->unpacker);
}

static int bad_unit(const struct seqfile_records *it, struct err *err) {
    return err_prefix(err, "%s at byte %llu", it->header->blocks ? "block" : "record", (unsigned long long)it->unit_offset);
}

/* A key is a serialised ImmutableBytesWritable. */
static int take_key(const struct seqfile_records *it, struct bytes key, struct seqfile_record *out, struct err *err) {
    if (key.n < 4 || be32(key.p) != key.n - 4) {
        err_set(err, ERR_INPUT, "a key of %zu bytes says that the row has %d", key.n, key.n < 4 ? 0 : (int32_t)be32(key.p));
        return bad_unit(it, err);
    }
    out->row = bytes_of(key.p + 4, key.n - 4);
    out->offset = it->unit_offset;
    return 0;
}

static int take_record(struct seqfile_records *it, const struct seqfile_unit *u, struct seqfile_record *out, struct err *err) {
    struct buf *plain = &it->plain[3];
    if (take_key(it, u->key, out, err)) return -1;
    out->value = u->value;
    out->number = it->number - 1;
    if (it->unpacker.codec) {
        buf_clear(plain);
        if (seqfile_unpack(&it->unpacker, u->value, it->limit, plain, err)) {
            err_prefix(err, "value");
            return bad_unit(it, err);
        }
        out->value = buf_bytes(plain);
    }
    return 0;
}

/* All four buffers together keep to the limit; a large one of the block before is not kept beside large ones of this. */
static int open_block(struct seqfile_records *it, const struct seqfile_unit *u, struct err *err) {
    static const char *const names[] = {"lengths of keys", "keys", "lengths of values", "values"};
    size_t left = it->limit;
    for (size_t i = 0; i < countof(names); i++) {
        if (it->plain[i].cap > it->limit / countof(names)) buf_free(&it->plain[i]);
        buf_clear(&it->plain[i]);
    }
    for (size_t i = 0; i < countof(names); i++) {
        if (seqfile_unpack(&it->unpacker, u->buffers[i], left, &it->plain[i], err)) {
            err_prefix(err, "%s", names[i]);
            return bad_unit(it, err);
        }
        left -= it->plain[i].n;
        it->block[i] = buf_bytes(&it->plain[i]);
    }
    it->in_block = u->records;
    return 0;
}

/* The next item, with its length from `lengths`. */
static bool take_of_block(struct bytes *lengths, struct bytes *all, struct bytes *out) {
    int64_t n;
    if (!hadoop_vlong_take(lengths, &n) || n < 0 || (uint64_t)n > all->n) return false;
    *out = bytes_of(all->p, (size_t)n);
    *all = bytes_of(all->p + n, all->n - (size_t)n);
    return true;
}

/* Takes the next record. 1, or -1. The last one must leave nothing over. */
static int take_of_records(struct seqfile_records *it, struct seqfile_record *out, struct err *err) {
    struct bytes *b = it->block, key;
    bool fits = take_of_block(&b[0], &b[1], &key) && take_of_block(&b[2], &b[3], &out->value);
    out->number = it->number - it->in_block--;
    if (!fits || (!it->in_block && b[0].n + b[1].n + b[2].n + b[3].n)) {
        it->in_block = 0;
        err_set(err, ERR_INPUT, "its lengths of keys and values do not add up");
        return bad_unit(it, err);
    }
    return take_key(it, key, out, err) ? -1 : 1;
}

int seqfile_records_next(struct seqfile_records *it, struct seqfile_record *out, struct err *err) {
    *out = (struct seqfile_record){0};
    while (!it->in_block && it->rest.n) {
        struct seqfile_unit u;
        it->unit_offset = it->offset;
        int rc = seqfile_unit_parse(it->header, it->rest, &u, err);
        if (rc <= 0) {
            if (!rc) err_set(err, ERR_INPUT, "takes %zu bytes, %zu are left", u.bytes, it->rest.n);
            it->rest.n = 0;
            return bad_unit(it, err);
        }
        it->rest = bytes_of(it->rest.p + u.bytes, it->rest.n - u.bytes);
        it->offset += u.bytes;
        it->number += u.records;
        if (u.kind == SEQFILE_RECORD) return take_record(it, &u, out, err) ? -1 : 1;
        if (u.kind == SEQFILE_BLOCK && open_block(it, &u, err)) return -1;
    }
    return it->in_block ? take_of_records(it, out, err) : 0;
}
