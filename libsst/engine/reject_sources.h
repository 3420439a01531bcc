/* Writes a file of rejects for each source. */
#ifndef ENGINE_REJECT_SOURCES_H
#define ENGINE_REJECT_SOURCES_H

#include "base/bytes.h"
#include "base/err.h"

struct reject_sources {
    char **paths; /* in the order in which they have rejects */
    size_t n, current;
    int fd; /* of the current one, if it is open */
    bool is_open;
};

/* dir: of the report. raw: records with their line ends. */
int reject_sources_put(struct reject_sources *s, const char *dir, const char *path, struct bytes header, bool is_text,
                       struct bytes raw, struct err *err);
int reject_sources_finish(struct reject_sources *s, struct err *err);
void reject_sources_free(struct reject_sources *s);

#endif
