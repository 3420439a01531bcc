/* Copies data blocks of one file into another, compressed and encoded as they are. Only two things of a block depend on where it
 * lands: the offset of the one before it, and so the first checksum.
 *
 * Of the bloom filter, those chunks are copied that hold rows of these blocks. A chunk holds rows before and after them, too: it
 * is asked for those that are copied only, because its first key in the new file is the first of these. */
#include "base/bytes.h"
#include "base/outfile.h"
#include "hfile/block_copy.h"
#include "hfile/block_span.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_state.h"
#include "hfile/hfile_writer.h"
#include "hfile/hfile_writer_state.h"
#include "hfile/index_reader.h"

enum { COPY_AHEAD_BYTES = 256 << 10 };

/* Each copied span has chunks of its own, which other rows share. Night after night that adds up: then the file is written
 * anew. */
static bool bloom_is_small(const struct hfile_bloom_facts *f, const struct hfile *h) {
    return f->max_keys / 3 <= f->keys || f->bytes <= h->info.file_bytes / 64;
}

static bool bloom_fits(const struct hfile_write_opts *o, const struct hfile *h) {
    struct err ignored = {0};
    struct bloom_writer w = {0};
    if (o->bloom != h->info.bloom) return false;
    if (o->bloom == HFILE_BLOOM_NONE) return true;
    struct hfile_bloom_reader *r = o->bloom == HFILE_BLOOM_ROW ? hfile_bloom_open(h, &ignored) : NULL;
    if (!r || bloom_writer_init(&w, o->bloom_chunk_bytes, o->bloom_error_rate, &ignored)) return false;
    const struct hfile_bloom_facts f = hfile_bloom_facts(r);
    bool fits = f.hash_count == w.hash_count && bloom_is_small(&f, h) &&
                bytes_eq(bytes_str(f.hash), bytes_str(bloom_hash_name(BLOOM_HASH_MURMUR)));
    hfile_bloom_close(r);
    return fits;
}

bool block_copy_fits(const struct hfile_write_opts *o, const struct hfile *h) {
    const struct hfile_info *i = &h->info;
    return h->src.header_bytes == BLOCK_HEADER_BYTES && hfile_index_readable(h) && i->cells && i->codec == o->codec &&
           i->encoding == o->encoding && h->layout.tags == o->tags && h->layout.mvcc == o->mvcc &&
           h->layout.tags_compressed == (o->encoding && o->tags_compressed) && bloom_fits(o, h);
}

/* ---- the bloom filter ---- */

static int copy_chunk(struct hfile_writer *w, struct hfile_bloom_reader *r, uint32_t i, struct bytes first_row, struct err *err) {
    struct bytes bits, key = hfile_bloom_chunk_key(r, i);
    if (hfile_bloom_chunk(r, i, &bits, err)) return -1;
    if (bytes_cmp(key, first_row) < 0) key = first_row;
    if (bloom_writer_take(&w->blooms.general, key, bits, err)) return -1;
    return bloom_writer_flush(&w->blooms.general, w->blocks, err) || block_writer_drain(w->blocks, err) ? -1 : 0;
}

static int copy_bloom(struct hfile_writer *w, const struct hfile *h, struct bytes first_row, struct bytes last_row,
                      struct err *err) {
    if (w->o.bloom == HFILE_BLOOM_NONE) return 0;
    struct hfile_bloom_reader *r = hfile_bloom_open(h, err);
    int rc = r ? 0 : -1;
    uint32_t n = r ? hfile_bloom_facts(r).chunks : 0, i = 0;
    while (!rc && i + 1 < n && bytes_cmp(hfile_bloom_chunk_key(r, i + 1), first_row) <= 0) i++;
    for (; !rc && i < n && bytes_cmp(hfile_bloom_chunk_key(r, i), last_row) <= 0; i++) rc = copy_chunk(w, r, i, first_row, err);
    hfile_bloom_close(r);
    return rc;
}

/* ---- blocks ---- */

/* The first entry of an index is the first key itself, all others may be shortened keys. */
static int copy_block(struct hfile_writer *w, struct block_reader *r, const struct hfile_index_entry *e, struct bytes first_key,
                      struct err *err) {
    struct block b;
    struct bytes stored;
    if (block_reader_stored(r, e->offset, &b, &stored, err)) return -1;
    if (b.header.type != (w->o.encoding ? BLOCK_ENCODED_DATA : BLOCK_DATA) || b.next - b.offset != e->disk_bytes)
        return block_fault(r->src, &b, err, "is not the data block that the index names here");
    return block_writer_copy(w->blocks, &b.header, stored, w->data_blocks ? e->key : first_key, err);
}

static int copy_blocks(struct hfile_writer *w, const struct hfile *h, const struct block_span *span, struct err *err) {
    struct hfile_index_entry e;
    struct block_reader r;
    struct index_cursor *c = index_cursor_open(h, err);
    int more = c ? 1 : -1;
    block_reader_init(&r, &h->src, span->end, COPY_AHEAD_BYTES);
    while (more == 1 && (more = index_cursor_next(c, &e, err)) == 1 && e.offset <= span->last)
        if (e.offset >= span->first && copy_block(w, &r, &e, buf_bytes(&span->first_key), err)) more = -1;
    block_reader_release(&r);
    index_cursor_close(c);
    return more < 0 ? -1 : 0;
}

/* The chunk that is filled, if its only row is one that the copied blocks continue: a chunk that is copied has that row, too, and
 * would have the same first key. */
static void drop_chunk_of(struct bloom_writer *b, struct bytes row) {
    if (b->bits.n && bytes_eq(buf_bytes(&b->first_key), row)) buf_clear(&b->bits);
}

/* Writes all that was put, and leaves the writer as if the cells of the span had been put. */
static int enter_span(struct hfile_writer *w, const struct kv_key *first, struct err *err) {
    struct kv_key before;
    if (!w->prefix_n) {
        if (hfile_writer_first(w, first->row, first->family, err)) return -1;
    } else if (!kv_key_parse(hfile_writer_last_key(w), &before) || kv_key_cmp(&before, first) >= 0) {
        return err_set(err, ERR_INTERNAL, "%s: blocks to copy do not come after what was written", outfile_path(w->out));
    }
    drop_chunk_of(&w->blooms.general, first->row);
    if (hfile_writer_end_block(w, false, err) || bloom_set_flush(&w->blooms, true, w->blocks, err)) return -1;
    return block_writer_drain(w->blocks, err);
}

int hfile_writer_copy(struct hfile_writer *w, const struct hfile *h, const struct block_span *span, struct err *err) {
    struct kv_key first, last;
    if (!kv_key_parse(buf_bytes(&span->first_key), &first) || !kv_key_parse(buf_bytes(&span->last_key), &last))
        return err_set(err, ERR_INTERNAL, "%s: keys of blocks at %llu are malformed", h->path, (unsigned long long)span->first);
    const struct row_part end = {.row = last.row, .family = last.family};
    if (enter_span(w, &first, err) || copy_blocks(w, h, span, err) || copy_bloom(w, h, first.row, last.row, err)) return -1;
    if (buf_copy(&w->last_key, buf_bytes(&span->last_key), err) || key_prefix_put(&w->prefix, &end, err)) return -1;
    w->prefix_n = w->prefix.n;
    return 0;
}
