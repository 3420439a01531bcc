/* Room for lists that grow with the input, counted in bytes. Relies on its callers to know what an entry takes, and to ask before
 * they make it. */
#include "base/list_room.h"

#include "base/size_text.h"
#include <sys/stat.h>

int list_room_take(struct list_room *r, uint64_t bytes, const char *what, struct err *err) {
    char most[SIZE_TEXT];
    if (r->most && r->taken + bytes > r->most)
        return err_set(err, ERR_LIMIT, "%s more than %s, %s of --memory; give more --memory", what,
                       size_text(r->most >> 20 << 20, most), r->part);
    r->taken += bytes;
    return 0;
}

int list_room_take_file(struct list_room *r, const char *path, const char *what, struct err *err) {
    struct stat st;
    const bool is = !stat(path, &st) && S_ISREG(st.st_mode); /* who opens it says why not */
    return is ? list_room_take(r, (uint64_t)st.st_size, what, err) : 0;
}
