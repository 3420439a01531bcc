/* What options say of a compaction before anything is read: which of two equal cells is newer (--rank), by which version rules
 * cells are dropped (--rules; none is a merge, which has none), and which of the program's own options decide the bytes that it
 * writes. */
#include "cmd/compact/base_policy.h"

#include "cmd/common/table_options.h"
#include "cmd/compact/compact_settings.h"

#include <string.h>
#include <strings.h>

int compact_rank(const struct session *s, enum tie_rule *tie, struct err *err) {
    *tie = TIE_BY_INPUT;
    if (!strcmp(s->o.rules.rank, "position")) return 0;
    *tie = TIE_BY_SEQUENCE;
    return strcmp(s->o.rules.rank, "sequence")
               ? err_set(err, ERR_USAGE, "--rank '%s': expected position or sequence", s->o.rules.rank)
               : 0;
}

int compact_rules(struct session *s, bool *keeps_all, struct err *err) {
    const struct compact_options *own = compact_options(&s->o);
    const struct rule_options *o = &s->o.rules;
    *keeps_all = o->rules && !strcasecmp(o->rules, "none");
    if (!*keeps_all) return rule_options_kind(&s->o, &s->kind, err);
    if (own->base || o->purge_deletes)
        return err_set(err, ERR_USAGE, "--rules none keeps every cell, and cannot be combined with %s",
                       own->base ? "--base" : "--purge-deletes");
    return 0;
}

int compact_settings(struct session *s, bool keeps_all, struct err *err) {
    const struct compact_options *own = compact_options(&s->o);
    if (keeps_all) s->own_settings = json_pack("{s:s}", "rules", "none");
    if (!own->base) return keeps_all && !s->own_settings ? err_nomem(err, 0, "settings") : 0;
    s->own_settings = json_pack("{s:o?}", "base", own->policy ? json_string(own->policy) : json_true());
    return s->own_settings ? 0 : err_set(err, ERR_USAGE, "--policy must be valid UTF-8");
}
