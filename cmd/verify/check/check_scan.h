/* Checks the cells of one range of blocks as check_file wants it. */
#ifndef CMD_VERIFY_CHECK_CHECK_SCAN_H
#define CMD_VERIFY_CHECK_CHECK_SCAN_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/check/check_bloom.h"
#include "cmd/verify/check/check_file.h"
#include "cmd/verify/check/check_findings.h"
#include "cmd/verify/check/check_range.h"
#include "hfile/hfile_state.h"

struct check_scan { /* of one worker; goes from range to range of one file */
    const struct check_file_opts *o;
    const struct hfile *h;
    bool dated;     /* the file has been through o->rules, at … */
    int64_t now_ms; /* … this time: when time drops its cells is known */
    struct check_bloom bloom;
    struct check_findings findings; /* of the current range: reported at its end */
    /* State of the current range. */
    struct check_range *r;
    size_t index_at;                /* in r->index_keys */
    uint64_t misplaced, disordered; /* rows, cells reported */
    bool damaged, index_damaged;    /* blocks with, without cells; cells out of order count as the latter */
    bool marked;                    /* the current row has delete markers of the family */
    struct buf column;              /* ROWCOL and prefixes: the filter's last key */
};

/* blooms: the file's bloom filters can be read. To be ended whatever comes back. */
int check_scan_begin(struct check_scan *s, const struct check_file_opts *o, const struct hfile *h, bool blooms, struct err *err);
/* Fills r. Damage is reported and skipped: then s->damaged. -1: the range could not be read. */
int check_scan_range(struct check_scan *s, struct check_range *r, struct err *err);
void check_scan_end(struct check_scan *s);

#endif
