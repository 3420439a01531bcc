/* `obkv-verify info --codecs`. */
#ifndef CMD_VERIFY_INFO_INFO_CODECS_H
#define CMD_VERIFY_INFO_INFO_CODECS_H

#include "base/err.h"
#include "cmd/verify/info/info.h"

/* Takes a sample of f and tries everything with it, in files in a directory of its own below temp_dir. */
int codec_trial_run(struct codec_trial *t, const sst_file *f, const char *temp_dir, struct err *err);
void codec_trial_free(struct codec_trial *t);

#endif
