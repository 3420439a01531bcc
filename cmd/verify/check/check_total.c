#include "cmd/verify/check/check_total.h"

void check_total_add(struct check_total *s, const struct check_file_result *c) {
    struct check_result *out = s->out;
#pragma omp critical(check_total)
    {
        out->files++;
        out->cells += c->tally.cells;
        out->file_bytes += c->file_bytes;
        out->kv_bytes += c->kv_bytes;
        out->rows += c->rows;
        out->blocks += c->blocks;
        digest_add(&out->digest, c->tally.digest);
    }
}

void check_total_error(struct check_total *s, const struct err *e) {
#pragma omp critical(check_total)
    {
        err_keep(e->code == ERR_INPUT || e->code == ERR_UNSUPPORTED ? &s->first : &s->ends, e);
        s->out->unread++;
    }
}

bool check_total_ended(struct check_total *s) {
    bool ended;
#pragma omp critical(check_total)
    ended = s->ends.code != ERR_NONE;
    return ended;
}

int check_total_end(const struct check_total *s, struct err *err) {
    err_keep(err, &s->ends);
    err_keep(err, &s->first);
    return err->code ? -1 : 0;
}
