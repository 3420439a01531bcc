/* Lists what the directories of a table hold, or a snapshot names, before it is decided which files are read. Both take the form
 * of a snapshot. */
#ifndef FORMATS_HBASE_LISTING_H
#define FORMATS_HBASE_LISTING_H

#include "base/err.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/snapshot.h"

struct region_state {
    char *directory; /* name of its directory; NULL: its encoded name */
    bool no_range;   /* start and end are not known: no .regioninfo, or 0.94's */
    bool is_mob;     /* the region that mob files are filed under: they are no store files */
    bool left_out;
};

struct listing {
    struct snapshot s;          /* families and files by name */
    struct region_state *state; /* one a region */
    bool has_descriptor;
};

/* dir: …/.hbase-snapshot/NAME. */
int listing_of_snapshot(const char *dir, struct listing *out, struct findings *report, struct err *err);
/* ns and table: what the path says it is called, for want of a descriptor. */
int listing_of_table(const char *dir, const char *ns, const char *table, struct listing *out, struct findings *report,
                     struct err *err);
/* One region of a table, or only one family of it (else NULL). */
int listing_of_region(const char *table_dir, const char *region, const char *family, const char *ns, const char *table,
                      struct listing *out, struct findings *report, struct err *err);
void listing_free(struct listing *l);

/* Name of the directory region i is in; borrowed. */
const char *listing_directory(const struct listing *l, size_t i);
/* Returns the family; NULL: the region has none of this name. */
const struct snapshot_family *listing_family(const struct snapshot_region *r, const char *name);

#endif
