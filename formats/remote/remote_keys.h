/* The keys of S3 that may change while a run lasts: those of a web identity. Exports: remote */
#ifndef FORMATS_REMOTE_REMOTE_KEYS_H
#define FORMATS_REMOTE_REMOTE_KEYS_H

#include "formats/remote/remote_store.h"

#include <pthread.h>

/* Of a mount. All threads sign with them; one gets new ones, for which the others wait. */
struct remote_keys {
    pthread_mutex_t lock;
    struct buf key_id, secret, token; /* with a 0 at the end */
    int64_t until_s;                  /* when they expire; 0: there are none yet */
};
void remote_keys_begin(struct remote_keys *k);
void remote_keys_end(struct remote_keys *k);

/* Answer of the token service to AssumeRoleWithWebIdentity. ERR_INPUT: it is not that. */
int remote_identity_parse(struct bytes xml, struct remote_keys *out, struct err *err);
/* remote_call for an object. Of S3 with a web identity, it first sees that the keys are valid for some minutes. */
int remote_object_call(struct remote_client *c, struct remote_call *call, struct err *err);

#endif
