/* Time zones: UTC, fixed offsets (+08:00), and names of the system's zone database (Asia/Shanghai), read once. */
#ifndef FORMATS_MAPPING_EXPR_ZONE_H
#define FORMATS_MAPPING_EXPR_ZONE_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/expr.h"

struct zone_change {
    int64_t from_s;   /* UTC */
    int32_t offset_s; /* local time minus UTC from then on */
};

struct expr_zone {
    int32_t first_s; /* before the first change */
    uint32_t n;
    const struct zone_change *changes; /* ascending */
    bool open;                         /* changes continue after the last one, by a rule we do not read */
};

/* *z lives in memory. ERR_USAGE: no such zone. */
int expr_zone_find(struct bytes name, struct expr_scratch *memory, struct expr_zone *z, struct err *err);
/* `+08:00`, `+0800`, `+08`, `Z`: the length at the start of text, 0 = none. */
size_t expr_zone_parse_offset(struct bytes text, int32_t *offset_s);
/* Returns local time minus UTC in *offset_s; false: too far in the future for what is known. */
bool expr_zone_at(const struct expr_zone *z, int64_t utc_s, int32_t *offset_s);
enum zone_hour { ZONE_HOUR_ONCE, ZONE_HOUR_SKIPPED, ZONE_HOUR_REPEATED };
/* Returns the offset of a local time. One that exists twice is the earlier one; one that was skipped counts on from before.
 * false: too far in the future for what is known. */
bool expr_zone_at_local(const struct expr_zone *z, int64_t local_s, int32_t *offset_s, enum zone_hour *hour);

#endif
