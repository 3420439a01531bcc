#include "formats/seqfile/seqfile_pairs.h"

#include "base/instream.h"
#include "formats/seqfile/seqfile_records.h"

#include <stdlib.h>

struct seqfile_pairs {
    struct seqfile_input input;
    struct chunk chunk;
    struct seqfile_records records; /* of the chunk */
    bool has_chunk;
};

struct seqfile_pairs *seqfile_pairs_open(struct instream *in, const char *value_class, const struct read_opts *o,
                                         struct err *err) {
    struct seqfile_pairs *p = calloc(1, sizeof *p);
    if (!p) {
        instream_close(in);
        return err_nomem(err, sizeof *p, "a SequenceFile"), NULL;
    }
    if (seqfile_input_open(&p->input, in, value_class, o, err) == 0) return p;
    seqfile_pairs_close(p);
    return NULL;
}

static void end_chunk(struct seqfile_pairs *p) {
    if (p->has_chunk) seqfile_records_end(&p->records);
    p->has_chunk = false;
}

static int begin_chunk(struct seqfile_pairs *p, struct err *err) {
    int more = seqfile_input_next(&p->input, &p->chunk, err);
    if (more <= 0) return more;
    seqfile_records_begin(&p->records, &p->input.header, p->input.codec, p->input.limit, buf_bytes(&p->chunk.data),
                          p->chunk.offset, p->chunk.a);
    p->has_chunk = true;
    return 1;
}

int seqfile_pairs_next(struct seqfile_pairs *p, struct bytes *row, struct bytes *value, struct err *err) {
    for (;;) {
        struct seqfile_record r;
        int more = p->has_chunk ? seqfile_records_next(&p->records, &r, err) : 0;
        if (more < 0) return err_prefix(err, "%s", instream_path(p->input.in));
        if (more > 0) {
            *row = r.row;
            *value = r.value;
            return 1;
        }
        end_chunk(p);
        more = begin_chunk(p, err);
        if (more <= 0) return more;
    }
}

void seqfile_pairs_close(struct seqfile_pairs *p) {
    if (!p) return;
    end_chunk(p);
    buf_free(&p->chunk.data);
    seqfile_input_close(&p->input);
    free(p);
}
