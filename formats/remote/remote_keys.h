/* The keys of S3 that may change while a run lasts: those of a web identity. Exports: remote */
#ifndef FORMATS_REMOTE_REMOTE_KEYS_H
#define FORMATS_REMOTE_REMOTE_KEYS_H

#include "base/buf.h"

#include <pthread.h>

/* The keys of a mount. All threads sign with them; one gets new ones, for which the others wait. */
struct remote_keys {
    pthread_mutex_t lock;
    struct buf key_id, secret, token; /* with a 0 at the end */
    int64_t until_s;                  /* when they expire; 0: there are none yet */
};

#endif
