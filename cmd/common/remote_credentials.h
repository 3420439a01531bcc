/* The credentials file of AWS's tools. */
#ifndef CMD_COMMON_REMOTE_CREDENTIALS_H
#define CMD_COMMON_REMOTE_CREDENTIALS_H

#include "base/bytes.h"
#include "base/err.h"
#include "cmd/common/remote_inputs.h"

/* ~/.aws/credentials: the keys of a profile. 1, 0 = it is not in it, -1. name: of the file, for messages. */
int s3_credentials_parse(struct bytes text, const char *name, const char *profile, struct s3_credentials *out, struct err *err);
void s3_credentials_free(struct s3_credentials *c);

#endif
