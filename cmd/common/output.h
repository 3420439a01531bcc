/* The dataset that a run writes: its directory, how its files are written, and what goes into its manifest. */
#ifndef CMD_COMMON_OUTPUT_H
#define CMD_COMMON_OUTPUT_H

#include "cmd/common/minisign.h"
#include "cmd/common/write_options.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"
#include "engine/partition_writer.h"
#include "engine/rejects.h"

struct output {
    struct outdir out;
    bool out_open;
    bool is_for_join;                 /* a shard that this program itself joins, and removes */
    json_t *settings, *own_settings;  /* own: those of the program only; NULL = none */
    struct manifest_shard *shard;     /* this run reads a part of its inputs; NULL: all */
    struct manifest_share *share;     /* this run writes a part of the partitions; NULL: all */
    struct manifest_pending *pending; /* for the manifest; borrowed */
    size_t n_pending;
    struct like like;                /* --like; n = 0: not given */
    struct output_family *writers;   /* of each family, if --like is given */
    struct minisign_secret sign_key; /* --sign-key */
};

#endif
