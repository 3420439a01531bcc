/* DAMAGE_SKIPS_FILE: all inputs are read once before anything is handed out, to see which are not whole. What a file has handed
 * out could not be taken back later. */
#ifndef ENGINE_WHOLE_FILES_H
#define ENGINE_WHOLE_FILES_H

#include "engine/load_opts.h"

struct file_verdict {
    char *damage; /* NULL: none was found, or its format cannot tell */
    uint64_t cells;
};

struct whole_files;
/* Several files at once; NULL: error. */
struct whole_files *whole_files_check(const struct load_opts *o, struct err *err);
/* Of one file of one input. */
const struct file_verdict *whole_files_verdict(const struct whole_files *w, uint32_t input, size_t file);
void whole_files_free(struct whole_files *w); /* NULL is fine */

#endif
