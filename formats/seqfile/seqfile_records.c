#include "formats/seqfile/seqfile_records.h"

#include "base/bytes.h"
#include "base/wire.h"

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

/* The next of those that `lengths` tells about. */
static bool take_of_block(struct bytes *lengths, struct bytes *all, struct bytes *out) {
    int64_t n;
    if (!hadoop_vlong_take(lengths, &n) || n < 0 || (uint64_t)n > all->n) return false;
    *out = bytes_of(all->p, (size_t)n);
    *all = bytes_of(all->p + n, all->n - (size_t)n);
    return true;
}

/* 1, or -1. The last record must leave nothing over. */
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
