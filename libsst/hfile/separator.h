/* Index keys: a short key K with last < K <= first, where `last` ends one data block and `first` begins the next
 * (HBase's HFileWriterImpl.getMidpoint). */
#ifndef HFILE_SEPARATOR_H
#define HFILE_SEPARATOR_H

#include "base/buf.h"

/* last, first: serialised keys, last < first. last.n == 0: there is no block before, K = first. Replaces out's content. */
int separator_put(struct buf *out, struct bytes last, struct bytes first, struct err *err);

#endif
