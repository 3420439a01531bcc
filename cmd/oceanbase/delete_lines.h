/* The conditions of the statements that delete from one partition, out of a file of an export. */
#ifndef CMD_OCEANBASE_DELETE_LINES_H
#define CMD_OCEANBASE_DELETE_LINES_H

#include "base/stop.h"
#include "cmd/oceanbase/export_manifest.h"

struct delete_lines;

struct delete_place delete_lines_place(const struct export_manifest *m, const struct export_delete_file *f);
/* Opens a file of deletes. ERR_INPUT: it is not the manifest's. */
struct delete_lines *delete_lines_open(const char *dir, const struct export_manifest *m, const struct export_delete_file *f,
                                       const struct stop *stop, struct err *err);
/* 1 = the text between WHERE and the end, valid until the next call; 0 = end; -1 = error. */
int delete_lines_next(struct delete_lines *l, struct bytes *where, struct err *err);
void delete_lines_close(struct delete_lines *l);

#endif
