/* The part of a request that sends bytes. */
#ifndef FORMATS_REMOTE_REMOTE_BODY_H
#define FORMATS_REMOTE_REMOTE_BODY_H

#include "base/err.h"
#include "formats/remote/remote_attempt.h"

/* Sets up a request with a method, and adds to its headers. bare: its bytes are not sent yet (a namenode only says where to). */
void remote_body_begin(struct attempt *a, struct curl_slist **headers, bool bare);
/* Adds the bytes to what is sent. */
void remote_body_send(struct attempt *a);
/* The namenode named no datanode: notes why. */
CURLcode remote_body_unsent(struct attempt *a);

/* Sums up the bytes of a body: MD5, and base64 of it in body->md5. 0, -1: the file cannot be read. */
int remote_body_sum(struct remote_body *body, const char *name, uint8_t md5[16], struct err *err);

#endif
