/* Puts batches of rejects that threads submit into the order of their inputs. */
#ifndef ENGINE_REJECT_STREAMS_H
#define ENGINE_REJECT_STREAMS_H

#include "base/err.h"
#include "base/outfile.h"
#include "engine/rejects.h"

struct reject_stream;
struct reject_streams {
    struct reject_stream *first; /* ascending; those that are not done and have submitted something */
    uint64_t current;            /* the stream whose turn it is */
    const char *dir;             /* of the temporary file; NULL: none is wanted */
    struct disk_quota *quota;
    struct tempfile kept; /* rejects of later streams */
    bool has_kept;
    int (*write)(void *arg, bool is_text, const struct reject_batch *b, struct err *err);
    void *arg;
};

/* As the functions of the log. Each batch goes to write() when its turn has come. */
int reject_streams_submit(struct reject_streams *s, struct reject_turn turn, bool is_text, struct reject_batch *b,
                          struct err *err);
int reject_streams_flush(struct reject_streams *s, uint64_t stream, bool is_text, struct reject_batch *b, struct err *err);
int reject_streams_end(struct reject_streams *s, uint64_t stream, struct err *err);
bool reject_streams_has_turn(const struct reject_streams *s, struct reject_turn turn);
/* Forgets all of them, and begins with stream 0 again. */
void reject_streams_clear(struct reject_streams *s);

#endif
