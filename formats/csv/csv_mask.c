/* Delimiters and line ends of delimited text as bits, 64 bytes to a mask, by the widest vector instructions that the machine has.
 * All ways give the same masks: mask_plain says what they are (t_csv.c and fuzz_csv.c compare them). The scanner asks for a
 * window of masks at a time, so that a call through a pointer costs little, and the choice is made anew for each scan, so that
 * there is no state. */

#if defined(__x86_64__)
#include "formats/csv/csv_mask.h"

#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static void mask_plain(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks) {
    const uint8_t a = bytes[0], b = bytes[1], c = bytes[2];
    for (size_t k = 0; k < n; k++, p += CSV_MASK_BYTES) {
        masks[k] = 0;
        for (size_t i = 0; i < CSV_MASK_BYTES; i++) masks[k] |= (uint64_t)(p[i] == a || p[i] == b || p[i] == c) << i;
    }
}

#if defined(__x86_64__)
static void mask_sse2(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks) {
    const __m128i a = _mm_set1_epi8((char)bytes[0]), b = _mm_set1_epi8((char)bytes[1]), c = _mm_set1_epi8((char)bytes[2]);
    for (size_t k = 0; k < n; k++) {
        uint64_t mask = 0;
        for (unsigned i = 0; i < 4; i++, p += 16) {
            const __m128i v = _mm_loadu_si128((const __m128i *)p);
            const __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, a), _mm_cmpeq_epi8(v, b)), _mm_cmpeq_epi8(v, c));
            mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << (16 * i);
        }
        masks[k] = mask;
    }
}

__attribute__((target("avx2"))) static void mask_avx2(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks) {
    const __m256i a = _mm256_set1_epi8((char)bytes[0]), b = _mm256_set1_epi8((char)bytes[1]),
                  c = _mm256_set1_epi8((char)bytes[2]);
    for (size_t k = 0; k < n; k++) {
        uint64_t mask = 0;
        for (unsigned i = 0; i < 2; i++, p += 32) {
            const __m256i v = _mm256_loadu_si256((const __m256i *)p);
            const __m256i hit =
                _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(v, a), _mm256_cmpeq_epi8(v, b)), _mm256_cmpeq_epi8(v, c));
            mask |= (uint64_t)(unsigned)_mm256_movemask_epi8(hit) << (32 * i);
        }
        masks[k] = mask;
    }
}
#elif defined(__aarch64__)
/* Each byte keeps the bit of its place; three rounds of adding neighbours leave one byte for eight of them. */
static void mask_neon(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t a = vdupq_n_u8(bytes[0]), b = vdupq_n_u8(bytes[1]), c = vdupq_n_u8(bytes[2]), bit = vld1q_u8(places);
    for (size_t k = 0; k < n; k++, p += CSV_MASK_BYTES) {
        uint8x16_t hit[4];
        for (unsigned i = 0; i < 4; i++) {
            const uint8x16_t v = vld1q_u8(p + 16 * i);
            hit[i] = vandq_u8(vorrq_u8(vorrq_u8(vceqq_u8(v, a), vceqq_u8(v, b)), vceqq_u8(v, c)), bit);
        }
        const uint8x16_t sum = vpaddq_u8(vpaddq_u8(hit[0], hit[1]), vpaddq_u8(hit[2], hit[3]));
        masks[k] = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
    }
}
#endif

csv_mask_fn *csv_mask_by(enum csv_vector v) {
    if (v == CSV_PLAIN) return mask_plain;
#if defined(__x86_64__)
    if (v == CSV_SSE2) return mask_sse2;
    if (v == CSV_AVX2 && __builtin_cpu_supports("avx2")) return mask_avx2;
#elif defined(__aarch64__)
    if (v == CSV_NEON) return mask_neon;
#endif
    return NULL;
}

csv_mask_fn *csv_mask_best(void) {
    csv_mask_fn *best = NULL;
    for (unsigned v = CSV_VECTORS; !best && v-- > 0;) best = csv_mask_by((enum csv_vector)v);
    return best;
}

uint64_t csv_mask_of(csv_mask_fn *find, struct bytes data, const uint8_t bytes[3]) {
    uint64_t mask;
    if (data.n >= CSV_MASK_BYTES) {
        find(data.p, 1, bytes, &mask);
        return mask;
    }
    uint8_t block[CSV_MASK_BYTES] = {0};
    if (data.n) memcpy(block, data.p, data.n);
    find(block, 1, bytes, &mask);
    return mask & ((UINT64_C(1) << data.n) - 1);
}
