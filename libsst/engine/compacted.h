/* Store files that a compaction has replaced stay beside its result until HBase archives them: minutes, or as long as somebody
 * reads them. The result names them, and whoever opens the store leaves them out (StoreEngine.openStoreFiles). */
#ifndef ENGINE_COMPACTED_H
#define ENGINE_COMPACTED_H

#include "hfile/hfile_reader.h"
#include "formats/hbase/store_files.h"
#include "engine/surveyed_file.h"

/* The list of files that h replaced, as it stands in file info: a CompactionEventTracker. Mostly empty. */
int compacted_list(const struct hfile *h, struct buf *out, struct err *err);

/* lists, seen: one for each file of s. Marks in seen the files that others of the same region and family replaced: they are not
 * read and do not count. A line about them goes behind warnings. */
int compacted_leave_out(const struct store_files *s, const struct buf *lists, struct surveyed_file *seen, struct buf *warnings,
                        struct err *err);

#endif
