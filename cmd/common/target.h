/* The table that a run writes or reads, and the partitions that its rows go to. */
#ifndef CMD_COMMON_TARGET_H
#define CMD_COMMON_TARGET_H

#include "dataset/manifest.h"
#include "rules/rules.h"
#include "table/partitioner.h"
#include "table/table.h"

struct target {
    struct table table;
    struct placement *placement;
    bool open_families;        /* no DDL: families come from columns and inputs */
    enum compaction_kind kind; /* where version rules are applied */
    enum dataset_kind holds;   /* the whole table, or a delta: see session_kind.c */
};

#endif
