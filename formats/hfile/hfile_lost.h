/* Collects what is missing in one HFile that is read although it is damaged. */
#ifndef FORMATS_HFILE_HFILE_LOST_H
#define FORMATS_HFILE_HFILE_LOST_H

#include "base/err.h"
#include "engine/format.h"
#include "formats/hfile/hfile_input.h"

void hfile_lost_init(struct hfile_lost_list *l);
void hfile_lost_free(struct hfile_lost_list *l);
int hfile_lost_report(struct hfile_lost_list *l, const struct hfile_lost_count *c, struct emit *e, struct err *err);

#endif
