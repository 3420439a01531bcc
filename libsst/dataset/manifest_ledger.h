/* Ledgers and tallies as JSON, for the manifest and for what the tools print. */
#ifndef DATASET_MANIFEST_LEDGER_H
#define DATASET_MANIFEST_LEDGER_H

#include "rules/ledger.h"

#include <jansson.h>

/* {"cells": n, "digest": "…"} */
json_t *manifest_tally(struct tally t);
int manifest_tally_parse(const json_t *j, struct tally *t, struct err *err);

/* A tally, with "by": {"table_ttl": tally, …} where it has parts. */
json_t *manifest_ledger_drop(const struct ledger *l, enum verdict v);
/* {"in": tally, "rejected": tally, "written": tally, "expired": tally with parts, …} */
json_t *manifest_ledger_cells(const struct ledger *l);
json_t *manifest_ledger_json(const struct ledger *l);
int manifest_ledger_parse(const json_t *j, struct ledger *l, struct err *err);

#endif
