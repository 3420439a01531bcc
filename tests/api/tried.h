/* Shared by the programs of tests/api: a line for each thing that was tried, and small pieces. */
#ifndef API_TRIED_H
#define API_TRIED_H

#include <sst/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void check(int holds, const char *what, const char *detail) {
    printf("%s %s%s%s\n", holds ? "ok" : "not ok", what, holds ? "" : ": ", holds ? "" : detail);
    fflush(stdout);
}

/* Returns object, or ends the program: without it nothing else can be tried. */
static inline void *need(void *object, const char *what, const sst_error *error) {
    if (!object) {
        printf("not ok %s: %s\n", what, error->text);
        exit(1);
    }
    return object;
}

static inline sst_bytes text(const char *s) {
    sst_bytes b = {(const uint8_t *)s, strlen(s)};
    return b;
}

static inline int is(sst_bytes b, const char *s) {
    return b.size == strlen(s) && (!b.size || !memcmp(b.data, s, b.size));
}

static inline sst_cell put(const char *row, const char *qualifier, int64_t timestamp, const char *value) {
    sst_cell c;
    memset(&c, 0, sizeof c);
    c.size = sizeof c;
    c.row = text(row);
    c.family = text("f");
    c.qualifier = text(qualifier);
    c.value = text(value);
    c.timestamp = timestamp;
    c.type = SST_PUT;
    return c;
}

#endif
