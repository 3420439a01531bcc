/* Walks what surrounds the cells of a file, for callers: index entries, blocks, bloom filters, and ranges for parallel scans. A
 * caller's visit function returns any number; the inner walks know only continue, end and failed, so the number is kept here. */
#include "api/api.h"
#include "api/api_file.h"

#include "hfile/bloom_reader.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/index_reader.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)SST_BLOCK_KINDS == BLOCK_TYPES && (int)SST_BLOCK_DELETE_BLOOM_META == BLOCK_DELETE_FAMILY_BLOOM_META &&
                   (int)SST_BLOCK_ROOT_INDEX == BLOCK_ROOT_INDEX && (int)SST_BLOCK_BLOOM_CHUNK == BLOCK_BLOOM_CHUNK,
               "kinds of blocks are the inner ones");

struct visit {
    int (*entry)(void *context, const sst_index_entry *entry);
    int (*block)(void *context, const sst_block *block);
    void *context;
    int answer; /* what the caller's visit ended the walk with */
};

/* Returns 0 when the whole walk is done, else the caller's answer, or -1. */
static int end_of(const struct visit *v, int rc) {
    return rc < 0 ? -1 : v->answer;
}

static int visit_entry(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct visit *v = arg;
    const sst_index_entry out = {sizeof out, e->offset, e->disk_bytes, api_bytes(e->key)};
    (void)err;
    v->answer = v->entry(v->context, &out);
    return v->answer != 0;
}

int sst_file_walk_index(const sst_file *file, int (*visit)(void *context, const sst_index_entry *entry), void *context,
                        sst_error *error) {
    struct visit v = {.entry = visit, .context = context};
    return end_of(&v, hfile_index_walk(file->hfile, visit_entry, &v, api_begin(error)));
}

static const char *sum_name(enum hfile_checksum sum) {
    return sum == HFILE_SUM_CRC32C ? "CRC32C" : sum == HFILE_SUM_CRC32 ? "CRC32" : "NULL";
}

static int visit_block(void *arg, const struct hfile_block *b, struct err *err) {
    struct visit *v = arg;
    const struct block_header *h = &b->header;
    const sst_block out = {.size = sizeof out,
                           .offset = b->offset,
                           .disk_bytes = b->disk_bytes,
                           .payload_bytes = h->disk_bytes,
                           .plain_bytes = h->plain_bytes,
                           .prev_offset = h->prev_offset,
                           .kind = h->type,
                           .kind_name = block_type_name(h->type),
                           .checksum = sum_name(h->sum),
                           .bytes_per_checksum = h->bytes_per_sum,
                           .summed_bytes = h->summed_bytes,
                           .encoding = b->encoding,
                           .encoding_name = hfile_encoding_name(b->encoding)};
    (void)err;
    v->answer = v->block(v->context, &out);
    return v->answer != 0;
}

int sst_file_walk_blocks(const sst_file *file, int (*visit)(void *context, const sst_block *block), void *context,
                         sst_error *error) {
    struct visit v = {.block = visit, .context = context};
    return end_of(&v, hfile_blocks_walk(file->hfile, visit_block, &v, api_begin(error)));
}

int sst_file_mid_key(const sst_file *file, void *buffer, size_t room, size_t *size, sst_error *error) {
    struct buf key = {0};
    int rc = hfile_mid_key(file->hfile, &key, api_begin(error));
    *size = rc ? 0 : key.n;
    if (!rc && key.n) memcpy(buffer, key.p, key.n < room ? key.n : room);
    buf_free(&key);
    return rc;
}

int sst_file_next_range(const sst_file *file, uint64_t *cursor, size_t want_bytes, uint64_t *range_start, uint64_t *range_end,
                        sst_error *error) {
    struct hfile_range range = {0};
    int more = hfile_range_next(file->hfile, cursor, want_bytes, &range, api_begin(error));
    *range_start = range.offset;
    *range_end = range.end;
    return more;
}

/* ---- bloom filters ---- */

struct sst_bloom {
    struct hfile_bloom_reader *reader;
    sst_bloom_info info;
};

sst_bloom *sst_bloom_open(const sst_file *file, int deletes, sst_error *error) {
    struct err *err = api_begin(error);
    struct hfile_bloom_reader *reader = deletes ? hfile_bloom_open_deletes(file->hfile, err) : hfile_bloom_open(file->hfile, err);
    if (!reader) return NULL;
    sst_bloom *b = malloc(sizeof *b);
    if (!b) {
        hfile_bloom_close(reader);
        err_nomem(err, sizeof *b, "a bloom filter");
        return NULL;
    }
    struct hfile_bloom_facts f = hfile_bloom_facts(reader);
    b->reader = reader;
    b->info =
        (sst_bloom_info){sizeof b->info, f.bytes, f.keys, f.max_keys, f.chunks, f.hash_count, f.hash, api_bytes(f.comparator)};
    return b;
}

void sst_bloom_close(sst_bloom *bloom) {
    if (!bloom) return;
    hfile_bloom_close(bloom->reader);
    free(bloom);
}

int sst_bloom_may_have_row(sst_bloom *bloom, const void *row, size_t row_size, sst_error *error) {
    return hfile_bloom_may_have(bloom->reader, bytes_of(row, row_size), api_begin(error));
}

int sst_bloom_may_have_column(sst_bloom *bloom, const void *row, size_t row_size, const void *qualifier, size_t qualifier_size,
                              sst_error *error) {
    return hfile_bloom_may_have_column(bloom->reader, bytes_of(row, row_size), bytes_of(qualifier, qualifier_size),
                                       api_begin(error));
}

const sst_bloom_info *sst_bloom_get_info(const sst_bloom *bloom) {
    return &bloom->info;
}
