/* Scans of HFiles. */
#ifndef HFILE_HFILE_SCAN_H
#define HFILE_HFILE_SCAN_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"

struct hfile;

void hfile_scan_passed(const struct source *scan, struct hfile_passed *out);

/* Row parts in file order. Order (key not descending) is checked, and one family per file. */
struct source *hfile_scan_open(const struct hfile *h, const struct hfile_scan_opts *o, struct err *err);
/* The next cell alone, without the array of a part; parts and cells may be taken in turns. 1 = *out is valid until the next call,
 * 0 = end, -1: *err is replaced, whatever it held, and the end follows. Only a failure touches err. */
int hfile_scan_next_cell(struct source *scan, const struct hfile_cell **out, struct err *err);

/* Continues the scan at the first cell whose row is `row` or a later one, within the scan's range and before its stop_row: found
 * through the index, forwards or backwards. Parts that were handed out are not valid any more. Not for scans with tally, lost or
 * watch. */
int hfile_scan_seek(struct source *scan, struct bytes row, struct err *err);
/* Serialised keys of the first and last cell handed out so far (empty: none): to check order between ranges. */
void hfile_scan_bounds(const struct source *scan, struct bytes *first_key, struct bytes *last_key);
/* Offset of the block that the part or cell just handed out; a part never spans two. UINT64_MAX: there was none. */
uint64_t hfile_scan_block(const struct source *scan);
/* Data blocks and cells that this scan has passed. */
void hfile_scan_counts(const struct source *scan, uint64_t *blocks, uint64_t *cells);

/* Bounded heap one scan needs, given the file's block size: for merge-width decisions. */
size_t hfile_scan_memory(const struct hfile *h);

#endif
