#include "codec/lzo_library.h"

#include <dlfcn.h>
#include <string.h>

int lzo_library_open(struct lzo_library *l, const char *const *sonames, size_t n, struct err *err) {
    *l = (struct lzo_library){0};
    for (size_t i = 0; i < n; i++) {
        void *handle = dlopen(sonames[i], RTLD_LAZY | RTLD_LOCAL);
        void *decode = handle ? dlsym(handle, "av_lzo1x_decode") : NULL;
        if (decode) {
            l->handle = handle;
            memcpy(&l->decode, &decode, sizeof decode); /* ISO C has no cast from an object's address to a function's */
            return 0;
        }
        if (handle) dlclose(handle);
    }
    return err_set(err, ERR_UNSUPPORTED,
                   "compression LZO needs libavutil, which was not found: install it (Debian 12: apt-get install libavutil57), "
                   "or set the family to another compression and major-compact the table");
}

void lzo_library_close(struct lzo_library *l) {
    if (l->handle) dlclose(l->handle);
    *l = (struct lzo_library){0};
}
