/* The files of a table in an incremental image of HBase's backups. */
#ifndef FORMATS_HBASE_IMAGE_FILES_H
#define FORMATS_HBASE_IMAGE_FILES_H

#include "base/err.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/listing.h"
#include "formats/hbase/read_tree.h"

/* Finds out whether dir is a table's directory in a backup image. 1: by its manifest (then *id is fresh), or because store files
 * are only where such an image has them; 0; -1: ERR_INPUT if they are in regions, too, and no manifest says so. */
int image_files_are(const char *dir, const struct listing *l, char **id, struct err *err);
/* Fills regions and files of out, whose table is known. */
int image_files_list(const char *dir, struct store_files *out, struct findings *report, struct err *err);

#endif
