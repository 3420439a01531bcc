/* Reports what version rules dropped, by cause, and where OceanBase's rules and HBase's differ. */
#ifndef CMD_COMMON_SUMMARY_RULES_H
#define CMD_COMMON_SUMMARY_RULES_H

#include "base/err.h"
#include "rules/ledger.h"

#include <jansson.h>

struct environment;
struct target;
struct output;

/* Lines below the cells of the summary: by which TTL, which kinds of markers. */
void summary_rules_parts(const struct ledger *l);
/* Reports, with --rules oceanbase, what HBase would have left instead, as lines and as members of the result document. */
void summary_rules_diff(const struct environment *env, const struct target *target, const struct rule_diff *d);
void summary_rules_json(const struct target *target, const struct rule_diff *d, json_t *result);
/* The first cells of each side, into OUT/_report/rule-differences.tsv; --verbose prints some. Nothing without differences. */
int summary_rules_report(struct environment *env, struct output *output, const struct rule_diff *d, struct err *err);

#endif
