/* Asks a file's bloom filters. */
#ifndef HFILE_BLOOM_READER_H
#define HFILE_BLOOM_READER_H

#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile_layout.h"

struct hfile;
struct hfile_bloom_reader;

struct hfile_bloom_facts hfile_bloom_facts(const struct hfile_bloom_reader *b);
/* Chunk i of facts.chunks: its first key, and its bits, valid until the next call. */
struct bytes hfile_bloom_chunk_key(const struct hfile_bloom_reader *b, uint32_t i);
int hfile_bloom_chunk(struct hfile_bloom_reader *b, uint32_t i, struct bytes *bits, struct err *err);

struct hfile_bloom_reader *hfile_bloom_open(const struct hfile *h, struct err *err);
struct hfile_bloom_reader *hfile_bloom_open_deletes(const struct hfile *h, struct err *err);
int hfile_bloom_may_have(struct hfile_bloom_reader *b, struct bytes row, struct err *err);
int hfile_bloom_may_have_column(struct hfile_bloom_reader *b, struct bytes row, struct bytes qualifier, struct err *err);
void hfile_bloom_close(struct hfile_bloom_reader *b);

#endif
