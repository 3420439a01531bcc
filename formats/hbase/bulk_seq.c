#include "formats/hbase/bulk_seq.h"

#include "base/bytes.h"

int64_t file_seq_max(const struct hfile *h, const struct file_seq *s) {
    struct bytes v = hfile_find(h, "MAX_SEQ_ID_KEY");
    int64_t seq = s->named ? (int64_t)s->number : v.n == 8 ? (int64_t)be64(v.p) : -1;
    bool known = s->named || v.n == 8;
    return known && s->top && seq < INT64_MAX ? seq + 1 : seq;
}

bool file_seq_resets(const struct hfile *h, const struct file_seq *s, uint64_t *seq) {
    struct bytes skip = hfile_find(h, "SKIP_RESET_SEQ_ID");
    bool bulk = s->named || (hfile_find(h, "BULKLOAD_TIMESTAMP").p && !hfile_find(h, "OBKV.CELLS").p);
    if (!bulk || (skip.n == 1 && skip.p[0])) return false;
    int64_t max = file_seq_max(h, s);
    *seq = max < 0 ? 0 : (uint64_t)max;
    return true;
}
