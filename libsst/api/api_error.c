/* Version, errors and option structs: the frame of every public function. A public error is the library's own struct under a
 * public name, so the layouts must be one; that is checked here when this file is compiled. */
#include "api/api.h"

#include <string.h>

_Static_assert(sizeof(sst_error) == sizeof(struct err), "sst_error is struct err");
_Static_assert(offsetof(sst_error, system) == offsetof(struct err, sys), "sst_error is struct err");
_Static_assert(offsetof(sst_error, text) == offsetof(struct err, text), "sst_error is struct err");
_Static_assert((int)SST_USAGE == ERR_USAGE && (int)SST_INPUT == ERR_INPUT && (int)SST_UNSUPPORTED == ERR_UNSUPPORTED &&
                   (int)SST_LIMIT == ERR_LIMIT && (int)SST_OUTPUT == ERR_OUTPUT && (int)SST_STOPPED == ERR_STOPPED &&
                   (int)SST_INTERNAL == ERR_INTERNAL,
               "public codes are the inner ones");

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#define VERSION_OF_NUMBERS TEXT_OF(SST_VERSION_MAJOR) "." TEXT_OF(SST_VERSION_MINOR) "." TEXT_OF(SST_VERSION_PATCH)
_Static_assert(__builtin_strcmp(SST_VERSION, VERSION_OF_NUMBERS) == 0, "SST_VERSION spells the three numbers");

const char *sst_version(void) {
    return SST_VERSION;
}

int api_options(void *own, size_t own_size, const void *given, const char *what, struct err *err) {
    memset(own, 0, own_size);
    if (!given) return 0;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > 4096)
        return err_set(err, ERR_USAGE, "%s: its field `size` is %zu, not the size of the struct", what, size);
    memcpy(own, given, size < own_size ? size : own_size);
    const uint8_t *rest = given;
    for (size_t i = own_size; i < size; i++)
        if (rest[i]) return err_set(err, ERR_USAGE, "%s: an option this version does not know is set", what);
    return 0;
}
