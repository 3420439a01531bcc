/* Whole numbers and timestamps of fields. */
#ifndef FORMATS_TEXT_TEXT_NUMBER_H
#define FORMATS_TEXT_TEXT_NUMBER_H

#include "base/bytes.h"
#include "engine/read_opts.h"

/* The whole field as a decimal number; a sign is allowed as Java's Long.parseLong does. false: not one, or it does not fit. */
bool text_i64(struct bytes field, int64_t *v);
bool text_u64(struct bytes field, uint64_t *v);
/* A timestamp of that unit in milliseconds, rounded down; "latest" (INT64_MAX) stays. false: it does not fit. v >= 0. */
bool text_time(int64_t v, enum time_unit unit, int64_t *ms);

#endif
