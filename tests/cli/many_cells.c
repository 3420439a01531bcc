/* `many_cells ROWS FACTOR SUMS`: ROWS lines of CSV, a key of ten digits and ten values of a digit, in the order of i * FACTOR
 * modulo ROWS: 1 is sorted, another number without a common divisor shuffles. SUMS receives the number of cells and their
 * digest, computed from docs/formats/manifest.md alone, to compare with what the programs say. Cells belong to family f, their
 * qualifiers are 0 to 9, their timestamp is 1. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { COLUMNS = 10, KEY_DIGITS = 10, KEYVALUE_BYTES = 8 + 2 + KEY_DIGITS + 1 + 1 + 1 + 8 + 1 + 1 };
enum { AT_ROW = 10, AT_QUALIFIER = 22, AT_VALUE = 32 };

static void put_row(char *line, unsigned char *kv, uint64_t row) {
    for (int i = KEY_DIGITS; i-- > 0; row /= 10) kv[AT_ROW + i] = (unsigned char)('0' + row % 10);
    memcpy(line, kv + AT_ROW, KEY_DIGITS);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    /* i32 length of the key, i32 length of the value; u16 length of the row, row, u8 length of the family, family, qualifier,
     * i64 timestamp, u8 type Put; value */
    unsigned char kv[KEYVALUE_BYTES] = {0, 0, 0, 24, 0, 0, 0, 1, 0, KEY_DIGITS};
    memcpy(kv + AT_ROW + KEY_DIGITS, "\1f0\0\0\0\0\0\0\0\1\4", 12);
    char line[KEY_DIGITS + 2 * COLUMNS + 1];
    uint64_t rows = strtoull(argv[1], NULL, 10), factor = strtoull(argv[2], NULL, 10);
    unsigned __int128 sum = 0;
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t row = (uint64_t)((unsigned __int128)i * factor % rows);
        put_row(line, kv, row);
        for (unsigned c = 0; c < COLUMNS; c++) {
            char value = (char)('0' + (row / 7 + c) % 10);
            line[KEY_DIGITS + 2 * c] = ',';
            line[KEY_DIGITS + 2 * c + 1] = value;
            kv[AT_QUALIFIER] = (unsigned char)('0' + c);
            kv[AT_VALUE] = (unsigned char)value;
            XXH128_hash_t h = XXH3_128bits(kv, sizeof kv);
            sum += ((unsigned __int128)h.high64 << 64) + h.low64;
        }
        line[sizeof line - 1] = '\n';
        if (fwrite(line, 1, sizeof line, stdout) != sizeof line) return 1;
    }
    FILE *sums = fopen(argv[3], "w");
    if (!sums || fflush(stdout)) return 1;
    fprintf(sums, "%" PRIu64 " %016" PRIx64 "%016" PRIx64 "\n", rows * COLUMNS, (uint64_t)(sum >> 64), (uint64_t)sum);
    return fclose(sums) != 0;
}
