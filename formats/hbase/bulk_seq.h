/* Sequence ids of whole files. Source: HStoreFile.open, StoreFileScanner.setCurrentCell. */
#ifndef FORMATS_HBASE_BULK_SEQ_H
#define FORMATS_HBASE_BULK_SEQ_H

#include "engine/hfile_view.h"
#include "hfile/hfile_reader.h"

/* The largest sequence id of the file; -1: it does not say. */
int64_t file_seq_max(const struct hfile *h, const struct file_seq *s);
/* Was it bulk-loaded, so that every cell has the file's sequence id and not its own? Files of ours that HBase has not loaded keep
 * what is stored. Then *seq is set; a file that was never given an id counts as 0. */
bool file_seq_resets(const struct hfile *h, const struct file_seq *s, uint64_t *seq);

#endif
