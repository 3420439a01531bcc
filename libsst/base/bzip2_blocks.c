/* Blocks of bzip2 streams, cut off without being unpacked. A block begins at any bit with a magic of 48 bits and its CRC, and
 * nothing says how long it is: the next magic ends it. That may be in a block by chance. So a cut is believed when the block has
 * been unpacked with its CRC. One that was not is joined with the next. The end of a stream is believed where the data ends or
 * another stream follows; elsewhere, its last block is unpacked at once. */
#include "base/bzip2_blocks.h"

#include "base/unpack_kind.h"

#include <bzlib.h>

static const uint64_t block_magic = 0x314159265359, end_magic = 0x177245385090;

enum {
    MAGIC_BITS = 48,
    CRC_BITS = 32,
    TRAILER_BITS = MAGIC_BITS + CRC_BITS,
    HEADER_BYTES = 4, /* "BZh" and the level */
    HEADER_BITS = 8 * HEADER_BYTES,
    BEGIN_BYTES = HEADER_BYTES + MAGIC_BITS / 8,
    EMPTY_BYTES = BEGIN_BYTES + CRC_BITS / 8, /* a stream without blocks */
    /* Magics in one block that are none. By chance there is none in a million terabytes; a forger would have each unpacked. */
    FALSE_MOST = 16,
    /* Bytes of a block, times the level, are at most UNIT_BYTES. Long runs of a byte, of which a block keeps five bytes, may make
     * its content 50 times as long; most is not even twice as long. */
    UNIT_BYTES = 100000,
    CONTENT_OF_BLOCK = 2
};

/* Returns the most bits that a block of this level takes: 20 for each byte, and its tables. */
static uint64_t longest_block_bits(unsigned level) {
    enum { SYMBOL_BITS = 20, TABLES_BYTES = 65536 };
    return (uint64_t)level * UNIT_BYTES * SYMBOL_BITS + 8 * TABLES_BYTES;
}

/* ---- bits: the first one of a byte is its highest ---- */

/* n is 1 to 57. After the data there are zeros. */
static uint64_t bits_at(struct bytes d, uint64_t bit, unsigned n) {
    size_t at = (size_t)(bit / 8);
    uint8_t tail[8] = {0};
    const uint8_t *p = d.p + at;
    if (d.n - at < sizeof tail) p = memcpy(tail, p, d.n - at);
    return be64(p) << bit % 8 >> (64 - n);
}

/* Copies n bits of d to bit `at` of out, which has room; fills the last byte up with zeros. Returns the end. */
static uint64_t put_bits(uint8_t *out, uint64_t at, struct bytes d, uint64_t from, uint64_t n) {
    unsigned room = (unsigned)(8 - at % 8), head = room == 8 ? 0 : n < room ? (unsigned)n : room;
    if (head) {
        uint8_t kept = (uint8_t)(out[at / 8] >> room << room);
        out[at / 8] = (uint8_t)(kept | bits_at(d, from, head) << (room - head));
        at += head;
        from += head;
        n -= head;
    }
    uint8_t *to = out + at / 8;
    const uint8_t *p = d.p + from / 8;
    unsigned shift = from % 8;
    size_t whole = (size_t)(n / 8), rest = n % 8;
    if (shift)
        for (size_t i = 0; i < whole; i++) to[i] = (uint8_t)(p[i] << shift | p[i + 1] >> (8 - shift));
    else
        memcpy(to, p, whole);
    if (rest) to[whole] = (uint8_t)(bits_at(d, from + n - rest, (unsigned)rest) << (8 - rest));
    return at + n;
}

static uint64_t put_number(uint8_t *out, uint64_t at, uint64_t v, unsigned n) {
    uint8_t t[8];
    put_be64(t, v);
    return put_bits(out, at, bytes_of(t, sizeof t), 64 - n, n);
}

/* ---- magics ----
 *
 * Wherever in a byte a magic begins, the five bytes after that one are its own. So one of the four pairs among them begins at a
 * multiple of four bytes, counted from anywhere, and only every fourth pair is read. 64 of 65,536 pairs can be in a magic. */

enum { PAIRS_IN_MAGIC = 4 };

static void mark_pairs(struct bzip2_blocks *b, uint64_t magic) {
    for (unsigned shift = 0; shift < 8; shift++)
        for (unsigned k = 1; k <= PAIRS_IN_MAGIC; k++) {
            uint16_t pair = __builtin_bswap16((uint16_t)(magic >> (MAGIC_BITS - 16 - (8 * k - shift))));
            b->pairs[pair / 8] |= (uint8_t)(1 << pair % 8);
        }
}

void bzip2_blocks_init(struct bzip2_blocks *b) {
    *b = (struct bzip2_blocks){0};
    mark_pairs(b, block_magic);
    mark_pairs(b, end_magic);
}

/* One that has the pair at byte i. */
static bool find_around(struct bytes d, size_t i, uint64_t from, uint64_t *bit) {
    uint64_t first = i < PAIRS_IN_MAGIC ? 0 : 8 * (uint64_t)(i - PAIRS_IN_MAGIC), end = 8 * (uint64_t)i;
    if (first < from) first = from;
    for (; first < end && first + MAGIC_BITS <= 8 * (uint64_t)d.n; first++) {
        uint64_t v = bits_at(d, first, MAGIC_BITS);
        if (v != block_magic && v != end_magic) continue;
        *bit = first;
        return true;
    }
    return false;
}

bool bzip2_blocks_find(const struct bzip2_blocks *b, struct bytes data, uint64_t from, uint64_t *bit) {
    for (size_t i = (size_t)(from / 8) + 1; i + 2 <= data.n; i += PAIRS_IN_MAGIC) {
        uint16_t pair;
        memcpy(&pair, data.p + i, sizeof pair);
        if (b->pairs[pair / 8] >> pair % 8 & 1 && find_around(data, i, from, bit)) return true;
    }
    return false;
}

/* ---- pieces ---- */

static size_t piece_bytes(uint64_t bits) {
    return (size_t)((HEADER_BITS + bits + TRAILER_BITS + 7) / 8);
}

static unsigned piece_level(const struct unpack_piece *p) {
    return p->in.p[HEADER_BYTES - 1] - '0';
}

/* The end of a stream whose only block it is. */
static void end_piece(struct unpack_piece *p) {
    uint64_t at = put_number(p->in.p, HEADER_BITS + p->bits, end_magic, MAGIC_BITS);
    put_number(p->in.p, at, p->crc, CRC_BITS);
    p->in.n = piece_bytes(p->bits);
}

static uint64_t cut_at(const struct unpack *u) {
    return u->taken - (u->n - u->at);
}

/* The block that a magic ends at `bit`; `used` bytes of the data lead to what follows. */
static int make_piece(const struct bzip2_blocks *b, const struct unpack *u, struct unpack_piece *p, uint64_t bit, uint64_t used,
                      struct err *err) {
    struct bytes d = bytes_of(u->in + u->at, u->n - u->at);
    p->bits = bit - b->bit;
    p->crc = (uint32_t)bits_at(d, b->bit + MAGIC_BITS, CRC_BITS);
    p->end = cut_at(u) + used;
    p->content = CONTENT_OF_BLOCK * b->level * UNIT_BYTES;
    p->ends = false;
    p->joined = 0;
    if (buf_reserve(&p->in, piece_bytes(p->bits), err)) return -1;
    memcpy(p->in.p, "BZh", HEADER_BYTES - 1);
    p->in.p[HEADER_BYTES - 1] = (uint8_t)('0' + b->level);
    put_bits(p->in.p, HEADER_BITS, d, b->bit, p->bits);
    end_piece(p);
    return 0;
}

/* Unpacks it and throws the content away: 1, 0 = it is none, -1. */
static int is_whole(const struct unpack_piece *p, struct err *err) {
    char away[16384];
    bz_stream z = {.next_in = (char *)p->in.p, .avail_in = (unsigned)p->in.n};
    int rc = BZ2_bzDecompressInit(&z, 0, 0);
    if (rc == BZ_OK) {
        while (rc == BZ_OK && !z.avail_out) {
            z.next_out = away;
            z.avail_out = sizeof away;
            rc = BZ2_bzDecompress(&z);
        }
        BZ2_bzDecompressEnd(&z);
    }
    return rc == BZ_MEM_ERROR ? err_nomem(err, 0, "bzip2") : rc == BZ_STREAM_END && !z.avail_in;
}

/* ---- cutting ---- */

/* As much of the header as there is. */
static bool is_header(struct bytes d) {
    return !memcmp(d.p, "BZh", d.n < 3 ? d.n : 3) && (d.n < HEADER_BYTES || (d.p[3] >= '1' && d.p[3] <= '9'));
}

static bool begins_stream(struct bytes d) {
    if (d.n < BEGIN_BYTES || !is_header(d)) return false;
    uint64_t magic = bits_at(d, HEADER_BITS, MAGIC_BITS);
    return magic == block_magic || magic == end_magic;
}

/* The first block of the next stream; streams without blocks are passed over. 1, 0 = more bytes are needed, -1. */
static int begin_stream(struct bzip2_blocks *b, struct unpack *u, struct err *err) {
    for (;; u->at += EMPTY_BYTES, b->begun = true) {
        struct bytes d = bytes_of(u->in + u->at, u->n - u->at);
        if (!is_header(d)) return b->begun ? unpack_other_behind(u, cut_at(u), err) : unpack_damaged(u, "not bzip2", err);
        if (d.n < BEGIN_BYTES) return 0;
        uint64_t magic = bits_at(d, HEADER_BITS, MAGIC_BITS);
        if (magic == block_magic) {
            b->level = d.p[3] - '0';
            break;
        }
        if (magic != end_magic) return unpack_damaged(u, "neither a block nor the end of a stream follows", err);
        if (d.n < EMPTY_BYTES) return 0;
        if (be32(d.p + BEGIN_BYTES)) return unpack_damaged(u, "the CRC of the whole stream is wrong", err);
    }
    u->at += HEADER_BYTES;
    b->bit = b->false_ends = 0;
    b->scanned = MAGIC_BITS + CRC_BITS;
    return 1;
}

/* Cuts off the piece before `bit`, where another block begins. */
static int cut_block(struct bzip2_blocks *b, struct unpack *u, struct unpack_piece *p, uint64_t bit, struct err *err) {
    if (make_piece(b, u, p, bit, (bit + 7) / 8, err)) return -1;
    u->at += (size_t)(bit / 8);
    b->bit = bit % 8;
    b->scanned = b->bit + MAGIC_BITS + CRC_BITS;
    b->false_ends = 0;
    return 1;
}

enum { FALSE_END = 2 };

/* The stream seems to end at `bit`. */
static int cut_last(struct bzip2_blocks *b, struct unpack *u, struct unpack_piece *p, uint64_t bit, struct err *err) {
    struct bytes d = bytes_of(u->in + u->at, u->n - u->at);
    size_t end = (size_t)((bit + TRAILER_BITS + 7) / 8);
    if (end > d.n || (d.n - end < BEGIN_BYTES && !u->at_end)) return 0;
    if (make_piece(b, u, p, bit, end, err)) return -1;
    if (end < d.n && !begins_stream(bytes_of(d.p + end, d.n - end))) {
        int whole = is_whole(p, err);
        if (whole <= 0) buf_clear(&p->in);
        if (whole <= 0) return whole ? -1 : FALSE_END;
    }
    p->ends = true;
    p->all_crc = (uint32_t)bits_at(d, bit + MAGIC_BITS, CRC_BITS);
    u->at += end;
    b->level = 0;
    b->begun = true;
    return 1;
}

int bzip2_blocks_cut(struct bzip2_blocks *b, struct unpack *u, struct unpack_piece *p, struct err *err) {
    int rc = b->level ? 1 : begin_stream(b, u, err);
    if (rc <= 0) return rc;
    struct bytes d = bytes_of(u->in + u->at, u->n - u->at);
    for (;; b->scanned++, b->false_ends++) {
        uint64_t bit, all = 8 * (uint64_t)d.n - (MAGIC_BITS - 1);
        bool found = bzip2_blocks_find(b, d, b->scanned, &bit);
        if (found || all > b->scanned) b->scanned = found ? bit : all;
        if (b->scanned - b->bit > longest_block_bits(b->level) || b->false_ends > FALSE_MOST)
            return unpack_damaged_at(u, cut_at(u) + b->scanned / 8, "a block has no end", err);
        if (!found) return 0;
        if (bits_at(d, bit, MAGIC_BITS) == block_magic) return cut_block(b, u, p, bit, err);
        if ((rc = cut_last(b, u, p, bit, err)) != FALSE_END) return rc;
    }
}

int bzip2_blocks_join(struct unpack_piece *p, const struct unpack_piece *next, struct err *err) {
    uint64_t bits = p->bits + next->bits;
    if (p->ends || p->joined == FALSE_MOST || bits > longest_block_bits(piece_level(p))) return 0;
    if (buf_reserve(&p->in, piece_bytes(bits) - p->in.n, err)) return -1;
    put_bits(p->in.p, HEADER_BITS + p->bits, buf_bytes(&next->in), HEADER_BITS, next->bits);
    p->bits = bits;
    end_piece(p);
    p->end = next->end;
    p->ends = next->ends;
    p->all_crc = next->all_crc;
    p->joined++;
    return 1;
}

/* ---- content ---- */

/* Makes room for content; when all that may come out has come out, for one byte too many. */
static int make_room(bz_stream *z, struct unpack_piece *p, char *spare) {
    enum { FIRST_BYTES = 112500 }; /* times the level: a block, and what runs of the same byte mostly add */
    struct buf *out = &p->out;
    struct err err = {0};
    size_t most = p->content, want = out->n ? 2 * out->n : piece_level(p) * FIRST_BYTES;
    if (want > most) want = most;
    if (want > out->cap) {
        if (grow_to(&out->p, want, 1, "content of a bzip2 block", &err)) return -1;
        out->cap = want;
    }
    z->next_out = out->n < most ? (char *)out->p + out->n : spare;
    z->avail_out = out->n < most ? (unsigned)(want - out->n) : 1;
    return 0;
}

enum piece_result bzip2_blocks_unpack(struct unpack_piece *p) {
    bz_stream z = {.next_in = (char *)p->in.p, .avail_in = (unsigned)p->in.n};
    char spare;
    int rc = BZ2_bzDecompressInit(&z, 0, 0);
    bool too_large = false;
    if (rc != BZ_OK) return PIECE_NO_MEMORY;
    p->out.n = 0;
    while (rc == BZ_OK && !z.avail_out && !too_large) {
        if (make_room(&z, p, &spare)) break;
        bool full = z.next_out == &spare;
        rc = BZ2_bzDecompress(&z);
        if (full)
            too_large = !z.avail_out;
        else
            p->out.n = (size_t)((uint8_t *)z.next_out - p->out.p);
    }
    bool lacks = rc == BZ_MEM_ERROR || (rc == BZ_OK && !z.avail_out && !too_large);
    BZ2_bzDecompressEnd(&z);
    if (too_large) return PIECE_TOO_LARGE;
    return lacks ? PIECE_NO_MEMORY : rc == BZ_STREAM_END && !z.avail_in ? PIECE_UNPACKED : PIECE_FAILED;
}

int bzip2_blocks_follow(struct bzip2_blocks *b, const struct unpack *u, const struct unpack_piece *p, struct err *err) {
    uint32_t all = (b->all_crc << 1 | b->all_crc >> 31) ^ p->crc;
    b->all_crc = p->ends ? 0 : all;
    return !p->ends || all == p->all_crc ? 0 : unpack_damaged_at(u, p->end, "the CRC of the whole stream is wrong", err);
}
