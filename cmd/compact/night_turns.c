/* Deltas that one run merges came one after the other, as nights do: a marker acts on what came before it, not on what a later
 * delta puts, and a version that one night drops is not there for the next one's marker to bring back. So the result is that of
 * one compaction for each of them, whichever policy has let them wait.
 *
 * Logs are another matter: each reads all edits since a snapshot, and HBase, which shows what they come to, has compacted none
 * of them. Unless they are compacted onto a base, they are judged together. */

#include "cmd/common/environment.h"
#include "cmd/common/target.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/output.h"
#include "cmd/compact/night_policy.h"
#include "cmd/compact/night_turns.h"

#include <stdlib.h>
#include <string.h>

/* The first input is what a compaction by these very rules has left: it need not be compacted alone once more. */
static bool is_compacted(const struct target *target, const struct manifest *m, bool *is, struct err *err) {
    struct buf text = {0};
    int rc = output_describe_rules(target, &text, err);
    *is = !rc && m->rules && !strcmp(m->rules, (const char *)text.p);
    buf_free(&text);
    return !rc;
}

int night_turns_make(struct night_turns *t, const struct environment *env, const struct target *target, const struct manifest *m,
                     const bool *is_dataset, size_t n, bool based, const struct rule_turns **use, struct err *err) {
    uint32_t turn = 0;
    bool compacted = false;
    *use = NULL;
    t->of_input = calloc(n + 1, sizeof *t->of_input);
    t->now_ms = calloc(n + 1, sizeof *t->now_ms);
    if (!t->of_input || !t->now_ms) return err_nomem(err, n * sizeof *t->now_ms, "the list of inputs");
    if (is_dataset[0] && !is_compacted(target, &m[0], &compacted, err)) return -1;
    t->now_ms[0] = is_dataset[0] && m[0].now_ms < env->job.now_ms ? m[0].now_ms : env->job.now_ms;
    for (size_t i = 1; i < n; i++) {
        bool night = based || (is_dataset[i] && m[i].kind == DATASET_DELTA && !target_kind_is_edits(&m[i]));
        if (night && (turn || i > 1 || !compacted)) turn++;
        t->of_input[i] = turn;
        if (night) t->now_ms[turn] = based ? night_clock(env, m, i) : env->job.now_ms;
    }
    t->turns = (struct rule_turns){t->of_input, t->now_ms, (uint32_t)n, turn + 1};
    if (turn) *use = &t->turns;
    return 0;
}

void night_turns_free(struct night_turns *t) {
    free(t->of_input);
    free(t->now_ms);
}
