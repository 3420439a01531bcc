/* Warns of what a table cannot hold of the cells of an export. It is counted while they are exported, and the warnings are given
 * before they are published or loaded. */
#include "cmd/common/report_figures.h"
#include "cmd/text/export_losses.h"

#include "cmd/common/warnings.h"

void export_losses_warn(struct reporter *r, const struct export_form *form, const struct export_result *result) {
    if (result->ttl_lost)
        report_warn(r, WARN_CELL_TTL_LOST, result->ttl_lost,
                    "%s cell%s own TTL, which the table cannot store (no column TTL), and will stay longer",
                    REPORT_COUNT(result->ttl_lost), result->ttl_lost == 1 ? " has its" : "s have their");
    if (result->tags_lost)
        report_warn(
            r, WARN_TAGS_LOST, result->tags_lost,
            "%s cell%s tags, such as visibility labels or access control lists, and %s has no place for them: all who may read "
            "it see these cells",
            REPORT_COUNT(result->tags_lost), result->tags_lost == 1 ? " has" : "s have", form->put ? "CSV" : "the table");
    if (result->ahead)
        report_warn(r, WARN_MARKERS_AHEAD, result->ahead,
                    "%s delete marker%s later than now: HBase would also hide future puts, OceanBase deletes only rows "
                    "that exist at the load",
                    REPORT_COUNT(result->ahead), result->ahead == 1 ? " is" : "s are");
}

void export_losses_warn_expired(struct reporter *r, const struct ledger *l, bool is_whole) {
    if (!l->dropped[VERDICT_EXPIRED].cells || ledger_written(l)->cells) return;
    if (is_whole) report_stop(r, WARN_ALL_EXPIRED);
    report_warn(r, WARN_ALL_EXPIRED, l->dropped[VERDICT_EXPIRED].cells,
                "all cells have expired, so none is exported; check the TimeToLive of the table (in seconds), the cells' own TTL "
                "(in milliseconds), --now and the unit of the timestamps");
}
