/* Cells and parts of a caller on their way to what sorts them: checked, and numbered in the order in which they came. */
#ifndef API_API_PUT_H
#define API_API_PUT_H

#include "api/api.h"
#include "engine/job.h"

/* A zeroed one is ready. */
struct api_put {
    uint64_t n; /* cells so far */
    struct cell *cells;
    size_t room;
};

/* Where parts go. */
typedef int api_taker(void *arg, const struct row_part *part, struct err *err);

/* 0, or -1: ERR_USAGE = there can be no such cell, or what take says. */
int api_put_cell(struct api_put *p, const sst_cell *cell, api_taker *take, void *arg, struct err *err);
int api_put_part(struct api_put *p, const sst_part *part, api_taker *take, void *arg, struct err *err);
void api_put_free(struct api_put *p);

/* Checks what a caller says of memory and threads: ERR_USAGE. */
int api_job_check(const struct job *job, struct err *err);

#endif
