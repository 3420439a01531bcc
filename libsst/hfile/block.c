#include "hfile/block.h"

#include "base/bytes.h"
#include "base/hash.h"

#include <libdeflate.h>

static const char magics[BLOCK_TYPES][BLOCK_MAGIC_BYTES + 1] = {
    [BLOCK_DATA] = "DATABLK*",
    [BLOCK_ENCODED_DATA] = "DATABLKE",
    [BLOCK_LEAF_INDEX] = "IDXLEAF2",
    [BLOCK_BLOOM_CHUNK] = "BLMFBLK2",
    [BLOCK_META] = "METABLKc",
    [BLOCK_INTERMEDIATE_INDEX] = "IDXINTE2",
    [BLOCK_ROOT_INDEX] = "IDXROOT2",
    [BLOCK_FILE_INFO] = "FILEINF2",
    [BLOCK_GENERAL_BLOOM_META] = "BLMFMET2",
    [BLOCK_DELETE_FAMILY_BLOOM_META] = "DFBLMET2",
};

bool block_magic_leads(struct bytes head) {
    for (size_t i = 0; head.n >= BLOCK_MAGIC_BYTES && i < BLOCK_TYPES; i++)
        if (!memcmp(head.p, magics[i], BLOCK_MAGIC_BYTES)) return true;
    return false;
}

const char *block_type_name(enum block_type type) {
    return type < BLOCK_TYPES ? magics[type] : "?";
}

/* HFILE_SUM_NULL gives 0. */
static uint32_t block_sum(enum hfile_checksum sum, const uint8_t *p, size_t n) {
    switch (sum) {
    case HFILE_SUM_CRC32: return libdeflate_crc32(0, p, n);
    case HFILE_SUM_CRC32C: return crc32c(0, p, n);
    default: return 0;
    }
}

/* The sum of a chunk, or of two where two whole ones are left. Returns how many. */
static unsigned take_sums(const struct block_header *h, const uint8_t *p, uint64_t chunk, uint32_t sums[2]) {
    uint64_t at = chunk * h->bytes_per_sum, left = h->summed_bytes - at, n = h->bytes_per_sum;
    if (h->sum == HFILE_SUM_CRC32C && left >= 2 * n) {
        crc32c_pair(p + at, p + at + n, (size_t)n, sums);
        return 2;
    }
    sums[0] = block_sum(h->sum, p + at, (size_t)(left < n ? left : n));
    return 1;
}

void block_sums_put(const struct block_header *h, const uint8_t *p, uint64_t first_chunk, uint8_t *sums) {
    uint32_t two[2];
    for (uint64_t chunk = first_chunk, n; chunk * h->bytes_per_sum < h->summed_bytes; chunk += n) {
        n = take_sums(h, p, chunk, two);
        for (unsigned i = 0; i < n; i++) put_be32(sums + (chunk + i) * BLOCK_SUM_BYTES, two[i]);
    }
}

void block_header_put(uint8_t *p, const struct block_header *h) {
    memcpy(p, magics[h->type], BLOCK_MAGIC_BYTES);
    p = put_be32(p + BLOCK_MAGIC_BYTES, h->disk_bytes);
    p = put_be32(p, h->plain_bytes);
    p = put_be64(p, (uint64_t)h->prev_offset);
    *p++ = (uint8_t)h->sum;
    p = put_be32(p, h->bytes_per_sum);
    put_be32(p, h->summed_bytes);
}

/* What v2.1 and later add to the header. NULL, or what is wrong. */
static const char *parse_sums(const uint8_t *p, struct block_header *h) {
    if (p[0] > HFILE_SUM_CRC32C) return "unknown checksum type";
    h->sum = (enum hfile_checksum)p[0];
    h->bytes_per_sum = be32(p + 1);
    h->summed_bytes = be32(p + 5);
    if (h->summed_bytes > INT32_MAX) return "a negative size";
    if (h->bytes_per_sum == 0 || h->bytes_per_sum > INT32_MAX) return "bytesPerChecksum out of range";
    if (h->summed_bytes < BLOCK_HEADER_BYTES) return "onDiskDataSizeWithHeader smaller than the header";
    if (h->disk_bytes !=
        (uint64_t)h->summed_bytes - BLOCK_HEADER_BYTES + BLOCK_SUM_BYTES * block_sum_count(h->summed_bytes, h->bytes_per_sum))
        return "sizes that contradict each other";
    return NULL;
}

const char *block_header_parse(const uint8_t *p, uint32_t header_bytes, struct block_header *h) {
    unsigned type = 0;
    while (type < BLOCK_TYPES && memcmp(p, magics[type], BLOCK_MAGIC_BYTES) != 0) type++;
    if (type == BLOCK_TYPES) return "no known block magic";
    h->type = (enum block_type)type;
    h->disk_bytes = be32(p + 8);
    h->plain_bytes = be32(p + 12);
    h->prev_offset = (int64_t)be64(p + 16);
    if (h->disk_bytes > INT32_MAX - BLOCK_HEADER_BYTES || h->plain_bytes > INT32_MAX) return "a negative size";
    if (header_bytes == BLOCK_HEADER_BYTES) return parse_sums(p + BLOCK_HEADER_V20_BYTES, h);
    h->sum = HFILE_SUM_NULL;
    h->bytes_per_sum = 0;
    h->summed_bytes = header_bytes + h->disk_bytes;
    return NULL;
}

int64_t block_sums_check(const struct block_header *h, const uint8_t *block, uint32_t *stored, uint32_t *computed) {
    const uint8_t *sums = block + h->summed_bytes;
    uint32_t two[2];
    if (!h->bytes_per_sum) return -1;
    for (uint64_t chunk = 0, n; chunk * h->bytes_per_sum < h->summed_bytes; chunk += n) {
        n = take_sums(h, block, chunk, two);
        for (unsigned i = 0; i < n; i++) {
            *computed = two[i];
            *stored = be32(sums + (chunk + i) * BLOCK_SUM_BYTES);
            if (*stored != *computed) return (int64_t)(chunk + i);
        }
    }
    return -1;
}
