/* The inputs of a run, and how they are read. */
#ifndef CMD_COMMON_INTAKE_H
#define CMD_COMMON_INTAKE_H

#include "base/buf.h"
#include "cmd/common/inputs.h"
#include "cmd/common/path_patterns.h"
#include "cmd/common/remote_inputs.h"
#include "cmd/common/session_wal.h"
#include "engine/rejects.h"
#include "formats/mapping/mapping.h"
#include "select/selection_state.h"

struct intake {
    struct path_patterns patterns;
    struct remote_inputs remote;
    struct dialect dialect;      /* what options say of text */
    struct text_set texts;       /* the inputs, once session_note_texts was called */
    struct mapping *mapping;     /* --map; NULL: not given */
    struct selection *selection; /* NULL: all is taken */
    json_t *families;            /* of a join: what all shards say of families, see unmet.c; NULL: see selection */
    struct session_wal wal;      /* which edits of write-ahead logs are read; not open: whole logs of one table */
    enum on_damage on_damage;
    enum time_unit timestamp_unit;
    struct reject_limit reject_limit;
    struct reject_log *rejects; /* NULL: not begun */
    struct buf input_warnings;  /* filled while inputs are read */
    struct first_header first_header;
    bool one_of_tables; /* of several that one run imports */
    bool from_records;  /* cells are made of records, not read of a dataset, where they may be delivered again */
};

#endif
