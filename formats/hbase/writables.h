/* Tables and regions as HBase 0.90 to 0.94 wrote them: Hadoop's Writables in place of protobuf messages. */
#ifndef FORMATS_HBASE_WRITABLES_H
#define FORMATS_HBASE_WRITABLES_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/region_info.h"

/* All but `encoded`. On failure *out is still to be freed. */
int writable_region_parse(struct bytes content, struct region_info *out, struct err *err);
/* As a TableSchema message. */
int writable_table_message(struct bytes content, struct buf *message, struct err *err);

#endif
