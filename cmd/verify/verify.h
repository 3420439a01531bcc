/* The sub-commands of obkv-verify. Each returns 0 or -1 with err; *code is the exit code of a run that went through. */
#ifndef CMD_VERIFY_VERIFY_H
#define CMD_VERIFY_VERIFY_H

#include "cmd/common/session.h"

int verify_account(struct session *s, int *code, struct err *err);
int verify_check(struct session *s, int *code, struct err *err);
int verify_diff(struct session *s, int *code, struct err *err);
int verify_dump(struct session *s, int *code, struct err *err);
int verify_hashtable(struct session *s, int *code, struct err *err);
int verify_info(struct session *s, int *code, struct err *err);
int verify_target(struct session *s, int *code, struct err *err); /* verify_database.c */
int verify_skew(struct session *s, int *code, struct err *err);

/* Before threads begin: what a run with little memory has to know about malloc. */
void verify_share_heap(const struct session *s); /* verify_heap.c */

enum { VERIFY_LINES = 100 }; /* of findings that are printed, unless --limit says otherwise */

#endif
