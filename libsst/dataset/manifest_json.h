/* Single values of the manifest's JSON: bytes, text that may be any bytes, and numbers that must be what they should. */
#ifndef DATASET_MANIFEST_JSON_H
#define DATASET_MANIFEST_JSON_H

#include "base/buf.h"
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "rules/ledger.h"
#include "table/table.h"

#include <jansson.h>

/* Bytes as lower-case hex in a JSON string. */
json_t *manifest_hex(struct bytes b);
int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err);

/* A JSON string; text that is not UTF-8 (names of files, families and leaves may be any bytes) as {"hex": "…"}, which JSON
 * could not hold otherwise. s NULL = null. */
json_t *manifest_text(const char *s);
/* *out is a fresh string, or NULL for null and nothing. ERR_INPUT for all that manifest_text does not make. */
int manifest_text_parse(const json_t *j, const char *what, char **out, struct err *err);

/* Returns whether a path is directly in its family's directory, and not hidden: a manifest must not lead out of its dataset. */
bool manifest_text_is_safe(const char *path, const char *family);

/* Members of an object. Absent = 0; anything else than an integer in range is ERR_INPUT. */
int manifest_i64(const json_t *object, const char *key, int64_t *out, struct err *err);
int manifest_u64(const json_t *object, const char *key, uint64_t *out, struct err *err);
int manifest_u32(const json_t *object, const char *key, uint32_t *out, struct err *err);

/* Ledgers and tallies as JSON, for the manifest and for what the tools print. */

/* {"cells": n, "digest": "…"} */
json_t *manifest_tally(struct tally t);
int manifest_tally_parse(const json_t *j, struct tally *t, struct err *err);

/* A tally, with "by": {"table_ttl": tally, …} where it has parts. */
json_t *manifest_ledger_drop(const struct ledger *l, enum verdict v);
/* {"in": tally, "rejected": tally, "written": tally, "expired": tally with parts, …} */
json_t *manifest_ledger_cells(const struct ledger *l);
json_t *manifest_unread(const struct unread_count *u);
json_t *manifest_ledger_json(const struct ledger *l);
int manifest_ledger_parse(const json_t *j, struct ledger *l, struct err *err);

/* A partition whose merge is pending: a nightly compaction by ratio leaves partitions as they are, and the cells of their deltas
 * in the deltas, for a later night. A dataset with such partitions alone is not the table. */

struct manifest_partition {
    uint32_t family, partition; /* of the manifest's table */
};

/* Compares by family and partition. */
int manifest_partition_cmp(const void *a, const void *b);

/* One delta. Wherever it is now, it is known by the number of its files, its cells and their digest. */
struct manifest_pending {
    char *path;
    uint64_t files;
    struct tally tally;
    int64_t now_ms;                        /* the clock of the night that it came in; 0: not known */
    struct manifest_partition *partitions; /* whose cells are not merged yet, by family and partition */
    size_t n;
};

int manifest_pending_add(struct manifest_pending *p, struct manifest_partition one, struct err *err);
json_t *manifest_pending_json(const struct manifest_pending *p, size_t n, const struct table *t);
/* j NULL: nothing. */
int manifest_pending_parse(const json_t *j, const struct table *t, struct manifest_pending **out, size_t *n, struct err *err);
void manifest_pending_free(struct manifest_pending *p, size_t n);

/* A manifest as it was printed, an input or file a line: it is read so, since the tree of a long one takes ten times its text. */

struct manifest_lines {
    struct bytes head;          /* all but lists and seal: an object without its last brace */
    struct bytes inputs, files; /* the text between the brackets */
};

/* Cuts a manifest into its lines; false: the text is not laid out so. It must end with a seal. */
bool manifest_lines_cut(struct bytes text, struct manifest_lines *out);
size_t manifest_lines_count(struct bytes list);
/* Takes the next entry and advances list past it. false: none left. */
bool manifest_lines_next(struct bytes *list, struct bytes *entry);
/* As manifest_lines_next, from the other end: the last entry, which list then lacks. */
bool manifest_lines_last(struct bytes *list, struct bytes *entry);

/* Ends the text, whose last brace is not there yet, with a seal: a checksum of all before, and a NUL. Other manifests than a
 * dataset's have it, too. */
int manifest_put_seal(struct buf *text, struct err *err);
bool manifest_is_sealed(const char *text, size_t n);

/* The part of its table that a dataset is. The markers of a delta hide cells that are elsewhere: no run may purge them
 * unasked. */
enum dataset_kind { DATASET_UNSAID /* not said, and manifests of 1.0.0 */, DATASET_WHOLE, DATASET_DELTA };

#endif
