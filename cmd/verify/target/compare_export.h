/* Sums of the rows of an export. */
#ifndef CMD_VERIFY_TARGET_COMPARE_EXPORT_H
#define CMD_VERIFY_TARGET_COMPARE_EXPORT_H

#include "cmd/verify/target/compare.h"

#include <pthread.h>

/* Fills p->a; lock: around calls of o->files. */
int compare_export_sums(const struct compare_opts *o, pthread_mutex_t *lock, const struct sums_place *place,
                        struct compare_partition *p, struct err *err);

#endif
