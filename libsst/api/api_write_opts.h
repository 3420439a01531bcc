/* How files are written, as callers say it. */
#ifndef API_API_WRITE_OPTS_H
#define API_API_WRITE_OPTS_H

#include "api/api.h"
#include "hfile/hfile.h"
#include "sst/writer.h"

/* All but pairs and threads, of which only the number is checked. */
int api_write_opts(const sst_writer_options *given, struct hfile_write_opts *o, struct err *err);

#endif
