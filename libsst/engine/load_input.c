#include "engine/load_input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int load_input_look(struct load_input *in, struct err *err) {
    struct stat st;
    if (in->files || !strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_UNSUPPORTED, "%s is a directory, a file is expected", in->path);
    in->file_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    in->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return 0;
}
