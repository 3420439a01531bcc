/* A public file: an open HFile, and what is known of it. Exports: api sst */
#ifndef API_API_FILE_H
#define API_API_FILE_H

#include "base/err.h"
#include "hfile/hfile_state.h"
#include "sst/file.h"

struct sst_file {
    struct hfile *hfile;
    sst_file_info info;
};

/* Takes ownership of h; NULL: it could not be opened, and err says why. */
sst_file *api_file_of(struct hfile *h, struct err *err);
/* Opens what callbacks read, whose close is called in any case. */
struct hfile *api_open_hfile(const sst_read_ops *ops, void *context, const char *name, size_t max_block_bytes, struct err *err);

#endif
