/* `obkv-verify info --codecs` as text and as JSON. */
#ifndef CMD_VERIFY_INFO_INFO_CODECS_REPORT_H
#define CMD_VERIFY_INFO_INFO_CODECS_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/info/info.h"

int codec_trial_text(const struct codec_trial *t, const sst_file *f, struct buf *out, struct err *err);
json_t *codec_trial_json(const struct codec_trial *t, const sst_file *f);

#endif
