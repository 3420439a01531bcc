/* HBase's ways to split a table before it holds anything: RegionSplitter.HexStringSplit, DecimalStringSplit and UniformSplit,
 * and numbers in front of the keys. */
#ifndef PLAN_PRESPLIT_H
#define PLAN_PRESPLIT_H

#include "cmd/split/plan/choice.h"

enum { PRESPLIT_KINDS = PLAN_KINDS - PLAN_HEX };

/* n regions, n from 2 on; c is to be freed whatever is returned. */
int presplit_make(struct plan_choice *c, enum plan_kind kind, uint32_t n, struct err *err);

#endif
