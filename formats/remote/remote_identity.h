/* Keys of S3 for a web identity. */
#ifndef FORMATS_REMOTE_REMOTE_IDENTITY_H
#define FORMATS_REMOTE_REMOTE_IDENTITY_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/remote/remote_attempt.h"
#include "formats/remote/remote_keys.h"
#include "formats/remote/remote_store.h"

void remote_keys_begin(struct remote_keys *k);
void remote_keys_end(struct remote_keys *k);

/* Answer of the token service to AssumeRoleWithWebIdentity. ERR_INPUT: it is not that. */
int remote_identity_parse(struct bytes xml, struct remote_keys *out, struct err *err);
/* remote_call for an object. Of S3 with a web identity, it first sees that the keys are valid for some minutes. */
int remote_object_call(struct remote_client *c, struct remote_call *call, struct err *err);

#endif
