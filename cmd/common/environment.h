/* The environment of a program's run, whatever it reads and writes: options, limits, the request to stop, and the reporter. */
#ifndef CMD_COMMON_ENVIRONMENT_H
#define CMD_COMMON_ENVIRONMENT_H

#include "base/list_room.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "base/stop.h"
#include "cmd/common/disk_need.h"
#include "cmd/common/metrics.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "engine/job.h"

struct environment {
    const struct tool_about *about;
    struct options o;
    struct reporter reporter;
    struct stop stop;
    struct disk_quota quota;
    struct disk_need need; /* in case the disk is full */
    struct job job;
    struct list_room manifests; /* that are open */
    struct path_names unpacked; /* for messages: the members of archives that are in temporary directories */
    struct metrics metrics;     /* for --metrics */
    double started;             /* steady clock */
};

#endif
