/* The manifest of a shard says once what it has twice, and leaves out what its reader knows. */
#ifndef DATASET_MANIFEST_BRIEF_H
#define DATASET_MANIFEST_BRIEF_H

#include "base/err.h"

#include <jansson.h>

/* Shortens the head of a manifest that is written; members that others own are copied before. -1: out of memory. */
int manifest_brief_put(json_t *head);
/* Restores the head of a manifest that was read; of others, nothing is done. */
int manifest_brief_take(json_t *head, struct err *err);

#endif
