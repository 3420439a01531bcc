/* Checks the options of `obkv-split plan` and turns them into what the plan goes by. */
#ifndef CMD_SPLIT_PLAN_PLAN_OPTIONS_H
#define CMD_SPLIT_PLAN_PLAN_OPTIONS_H

#include "base/err.h"
#include "cmd/split/plan/advice.h"
#include "cmd/split/plan/plan.h"
#include "cmd/split/plan/plan_view.h"
#include "cmd/split/plan/sampling.h"

/* v->o is given; fills counts, size, replicas and access of v. */
int plan_options_take(struct plan_view *v, enum sample_by *by, struct plan_generator *made, struct err *err);
/* The choice of --take, by its place in the ranking or by name (`key:97`). The first design is judged. *out is borrowed. */
int plan_options_choice(const struct plan_view *v, const struct candidate **out, struct err *err);

#endif
