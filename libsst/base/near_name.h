/* "Did you mean …": the known name that is nearest to one that was mistyped. The caller offers the known names one by one. */
#ifndef BASE_NEAR_NAME_H
#define BASE_NEAR_NAME_H

#include "base/bytes.h"

enum { NEAR_NAME_MAX = 64 }; /* longer names are no candidates */

struct near_name {
    struct bytes given;
    struct bytes best; /* p NULL: none is near */
    unsigned distance;
};

static inline struct near_name near_name_to(struct bytes given) {
    return (struct near_name){.given = given};
}
/* name is borrowed until the answer is read. Equal names are not offered by callers: they would have been found. */
void near_name_offer(struct near_name *n, struct bytes name);
/* "; did you mean 'NAME'?", with prefix before the name, or "". out has NEAR_NAME_MAX + 48 bytes and is returned. */
const char *near_name_text(const struct near_name *n, const char *prefix, char out[NEAR_NAME_MAX + 48]);

#endif
