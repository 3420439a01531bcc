/* Passwords and tokens: read from files that others cannot read, kept out of core dumps, wiped after use. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

enum { SECRET_MAX_BYTES = 1 << 20 };

/* The first line of a file, in a fresh string that ends with secret_wipe. what: how messages call the file. ERR_USAGE: others can
 * read the file, whose mode is all that guards it; it begins with a byte order mark; its line ends in a blank or is empty.
 * ERR_INPUT: it cannot be read. */
char *secret_read(const char *path, const char *what, struct err *err);
/* The path as messages may show it: *** if no such file exists, and the name may be the secret itself. */
const char *secret_shown_path(const char *path);
/* Overwrites and frees it; NULL is fine. */
void secret_wipe(char **secret);

/* Core dumps are off from hold to release. Zero-initialise. */
struct secret_hold {
    bool held;
    int dumpable;
    struct rlimit core;
};
void secret_hold(struct secret_hold *h);
void secret_release(struct secret_hold *h);

#endif
