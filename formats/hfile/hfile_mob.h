/* Counts the values of one HFile that are lost because the mob file that has them is missing or damaged. */
#ifndef FORMATS_HFILE_HFILE_MOB_H
#define FORMATS_HFILE_HFILE_MOB_H

#include "base/err.h"
#include "engine/format.h"
#include "engine/read_opts.h"
#include "formats/hfile/hfile_input.h"
#include "hfile/hfile_state.h"

void hfile_mob_lost_init(struct hfile_mob_lost *l);
void hfile_mob_lost_free(struct hfile_mob_lost *l);
/* Reports the mob files noted since the last report. */
int hfile_mob_lost_report(struct hfile_mob_lost *l, struct emit *e, struct err *err);
/* Names the mob files that it refers to, where it lists them. ERR_INPUT, as of a store: they are missing; not if `lost`. */
int hfile_mob_own_open(struct hfile_mob_own *own, const struct hfile *h, const struct read_opts *o, bool lost, struct err *err);
void hfile_mob_own_close(struct hfile_mob_own *own);

#endif
