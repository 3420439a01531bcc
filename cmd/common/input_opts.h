/* How the paths of inputs are to be understood. */
#ifndef INPUT_OPTS_H
#define INPUT_OPTS_H

#include "engine/job.h"

struct archive_limits;
struct input_opts {
    struct job *job;      /* for looking into store files; its resident_bytes grow with the lists */
    const char *format;   /* of files; NULL = by content */
    const char *snapshot; /* of a root: this snapshot; NULL = the only thing there is */
    const struct archive_limits *limits;
};

#endif
