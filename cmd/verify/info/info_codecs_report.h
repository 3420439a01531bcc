/* `obkv-verify info --codecs` as text and as JSON. */
#ifndef CMD_VERIFY_INFO_INFO_CODECS_REPORT_H
#define CMD_VERIFY_INFO_INFO_CODECS_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/info/info.h"

int codec_trial_text(const struct codec_trial *t, const sst_file *f, struct buf *out, struct err *err);
/* Returns what is worth a look: combinations that no other one beats in size, writing and reading at once, those of today and the
 * recommended ones, the smallest first. Returns how many. */
size_t codec_trial_list(const struct codec_trial *t, const struct codec_result *list[CODEC_RESULTS]);
/* MB of KeyValues a second. */
double codec_trial_speed(const struct codec_result *r, double seconds);
/* The whole file with these settings, about. */
double codec_trial_whole_bytes(const struct codec_trial *t, const struct codec_result *r, const sst_file_info *info);
/* A name as options have it. */
const char *codec_trial_option(const char *name, char out[CODEC_NAME_BYTES]);
json_t *codec_trial_json(const struct codec_trial *t, const sst_file *f);

#endif
