/* What version rules did, in parts, and where two sets of rules differ: the lines of the summary, the JSON, the report file. */
#ifndef SUMMARY_RULES_H
#define SUMMARY_RULES_H

#include "cmd/common/session.h"

/* Lines below the cells of the summary: by which TTL, which kinds of markers. */
void summary_rules_parts(const struct ledger *l);
/* With --rules oceanbase: what HBase would have left instead, as lines and as members of the result document. */
void summary_rules_diff(const struct session *s, const struct rule_diff *d);
void summary_rules_json(const struct session *s, const struct rule_diff *d, json_t *result);
/* The first cells of each side, into OUT/_report/rule-differences.tsv; --verbose tells some. Nothing without differences. */
int summary_rules_report(struct session *s, const struct rule_diff *d, struct err *err);

#endif
