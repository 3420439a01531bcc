/* The table's descriptor, from the TableSchema message to struct hbase_table, and which .tableinfo file of a directory holds
 * it. */
#ifndef FORMATS_HBASE_DESCRIPTOR_H
#define FORMATS_HBASE_DESCRIPTOR_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/metadata.h"

/* A bare TableSchema message. Of settings that are no attributes of a family (hbase.…) those among a family's attributes beat
 * its configuration, which beats what the table has (StoreUtils.createStoreConfiguration). A value that HBase could not use is
 * ERR_INPUT naming family, key and value. On failure nothing is left to be freed. */
int hbase_table_parse(struct bytes message, struct hbase_table *out, struct err *err);
/* The newest whole .tableinfo.* of a directory (.tabledesc of a table, or of a snapshot without data.manifest).
 * 1 read, 0 none, -1 error. The forms of HBase 0.90 and later are read, older ones are ERR_UNSUPPORTED. */
int hbase_tableinfo_read(const char *dir, struct hbase_table *out, struct err *err);
void hbase_table_free(struct hbase_table *t);

#endif
