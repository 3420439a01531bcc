/* What lies in the folders of a table, or is listed by a snapshot, before it is decided what of it is read: both in the shape of
 * a snapshot. */
#ifndef FORMATS_HBASE_STORE_LISTING_H
#define FORMATS_HBASE_STORE_LISTING_H

#include "formats/hbase/snapshot.h"
#include "formats/hbase/store_report.h"

struct store_region_state {
    char *folder;  /* name of its folder; NULL: its encoded name */
    bool no_range; /* start and end are not known: no .regioninfo, or 0.94's */
    bool is_mob;   /* the region that mob files are filed under: they are no store files */
    bool left_out;
};

struct store_listing {
    struct snapshot s;                /* families and files by name */
    struct store_region_state *state; /* one a region */
    bool has_descriptor;
};

/* dir: …/.hbase-snapshot/NAME. */
int store_listing_of_snapshot(const char *dir, struct store_listing *out, struct store_report *report, struct err *err);
/* ns and table: what the path says it is called, for want of a descriptor. */
int store_listing_of_table(const char *dir, const char *ns, const char *table, struct store_listing *out,
                           struct store_report *report, struct err *err);
/* One region of a table, or only one family of it (else NULL). */
int store_listing_of_region(const char *table_dir, const char *region, const char *family, const char *ns, const char *table,
                            struct store_listing *out, struct store_report *report, struct err *err);
void store_listing_free(struct store_listing *l);

/* Name of the folder region i lies in; borrowed. */
const char *store_listing_folder(const struct store_listing *l, size_t i);
/* NULL: the region has no such family. */
const struct snapshot_family *store_listing_family(const struct snapshot_region *r, const char *name);

#endif
