/* libavutil of FFmpeg, whose av_lzo1x_decode is the one LZO1X decoder without the GPL. It is opened at run time and never linked:
 * operators install it only if they have LZO files. */
#ifndef CODEC_CODEC_LZO_H
#define CODEC_CODEC_LZO_H

#include "base/err.h"

#include <stddef.h>

enum { LZO_INPUT_PADDING = 8, LZO_OUTPUT_PADDING = 12 }; /* padding required after each buffer */

struct lzo_library {
    void *handle;
    /* *out_n and *in_n: sizes on entry, what is left of them on return. 0 = the stream's end was reached. */
    int (*decode)(void *out, int *out_n, const void *in, int *in_n);
};

/* Opens the first of these shared libraries that exists and has the decoder; ERR_UNSUPPORTED says what to install. */
int lzo_library_open(struct lzo_library *l, const char *const *sonames, size_t n, struct err *err);
void lzo_library_close(struct lzo_library *l);

#endif
