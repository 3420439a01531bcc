/* Limits that a pipeline sets to the figures of skew: --fail-above. */
#ifndef CMD_VERIFY_SKEW_SKEW_GATES_H
#define CMD_VERIFY_SKEW_SKEW_GATES_H

#include "base/err.h"
#include "cmd/verify/skew/skew_view.h"

enum { SKEW_GATES_MAX = 16 };

struct skew_gate {
    unsigned figure;           /* of skew_gates.c */
    enum skew_measure measure; /* of rows, cells or bytes */
    double limit, value;
    bool exceeded;
};

struct skew_gates {
    struct skew_gate gate[SKEW_GATES_MAX];
    unsigned n;
};

/* "[MEASURE:]FIGURE=LIMIT,…". quick: rows and versions are not known, and a limit to them is ERR_USAGE. */
int skew_gates_parse(const char *text, bool quick, struct skew_gates *out, struct err *err);
/* Sets value and exceeded. Returns how many are exceeded. */
unsigned skew_gates_judge(struct skew_gates *g, const struct skew_view *v);
/* "rows:max/mean" */
void skew_gate_name(const struct skew_gate *g, char out[48]);
json_t *skew_gates_json(const struct skew_gates *g);

#endif
