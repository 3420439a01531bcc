/* Inputs of tools that only look. */
#include "cmd/common/session.h"

#include "cmd/common/column_options.h"

int session_look_at_inputs(struct session *s, const struct table *fallback, struct input_list *in, struct err *err) {
    for (int i = 0; i < s->o.n_inputs; i++)
        if (session_add_input(s, in, s->o.inputs[i], err)) return -1;
    if (column_options_wanted(&s->o, in, err) || session_table_of(s, fallback, in, err)) return -1;
    const struct reject_limit any = {.percent = 100};
    s->rejects = reject_log_new(&any, NULL, NULL, err);
    return s->rejects ? input_list_survey(in, &s->job, &s->input_warnings, err) : -1;
}
