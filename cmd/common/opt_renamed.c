/* Options of earlier versions, and what does their work now: an old name, on the command line or in a file of options, is
 * answered with the new one, and with the value that was given, to be typed as it stands. A name stays here for good: scripts
 * live long. */
#include "cmd/common/opt_peers.h"
#include "cmd/common/options.h"

#include "base/bytes.h"

#include <string.h>

/* needs: the option that the answer names; a program without it never had the old one. % in `now`: the value, else `value`. */
static const struct {
    const char *name, *needs, *now, *value;
} renamed[] = {
    {"archive-max-members", "files", "give --config archive-members=%", "N"},
    {"archive-max-bytes", "files", "give --config archive-bytes=%", "SIZE"},
    {"archive-max-ratio", "files", "give --config archive-ratio=%", "N"},
    {"archive-limits", "files", "give --config archive-%, NAME=N by NAME=N", "NAME=N"},
    {"backup", "snapshot", "give --config backup=%", "ID"},
    {"purge-deletes", "preview", "give --config purge-deletes=yes", NULL},
    {"keep-seq", "codec", "give --config keep-seq=%", "YES|NO"},
    {"s3-endpoint", NULL, "set AWS_ENDPOINT_URL_S3, or write s3-endpoint = % into a file for --config", "URL"},
    {"s3-region", NULL, "set AWS_REGION, or write s3-region = % into a file for --config", "NAME"},
    {"s3-virtual-host", NULL, "write s3-virtual-host = yes into a file for --config", NULL},
    {"hdfs-namenodes", NULL, "write hdfs-namenodes = % into a file for --config", "LIST"},
    {"hdfs-user", NULL, "set HADOOP_USER_NAME, or write hdfs-user = % into a file for --config", "NAME"},
    {"hdfs-token-file", NULL, "set HADOOP_TOKEN_FILE_LOCATION, or write hdfs-token-file = % into a file for --config", "FILE"},
    {"negotiate", NULL, "write negotiate = yes into a file for --config", NULL},
    {"ca-file", NULL, "set AWS_CA_BUNDLE, or write ca-file = % into a file for --config", "FILE"},
    {"remote-retries", NULL, "set AWS_MAX_ATTEMPTS, or write remote-retries = % into a file for --config", "N"},
    {"remote-timeout", NULL, "write remote-timeout = % into a file for --config", "TIME"},
    {"minor", "rank", "give --rules minor", NULL},
    {"minor-rules", "rank", "give --rules minor, or --rules minor:before", NULL},
    {"min-versions", "set", "give --set MIN_VERSIONS=%", "N"},
    {"keep-deleted", "set", "give --set KEEP_DELETED_CELLS=%", "MODE"},
    {"purge-deletes-after", "set", "give --set hbase.hstore.time.to.purge.deletes=%", "TIME"},
    {"new-version-behavior", "set", "give --set NEW_VERSION_BEHAVIOR=true", NULL},
    {"keep-seq-period", "set", "give --set hbase.hstore.compaction.keep.seqId.period=%", "TIME"},
    {"bloom", "set", "give --set BLOOMFILTER=%", "KIND"},
    {"block-size", "set", "give --set BLOCKSIZE=%", "SIZE"},
    {"compress-tags", "set", "give --set COMPRESS_TAGS=true", NULL},
    {"rename-family", "families", "give --families '*,%'", "OLD=NEW"},
    {"row-prefix", "rows", "give --rows 'prefix=%'", "PREFIX"},
    {"sample", "rows", "give --rows sample=%", "P%"},
    {"include", "files", "give --files '%'", "PATTERN"},
    {"exclude", "files", "give --files '!%'", "PATTERN"},
    {"output", "from-target", "--from-target writes to standard output: > %", "FILE"},
    {"o", "from-target", "--from-target writes to standard output: > %", "FILE"},
    {"table", "name", "give --name %", "NAME"},
    {"start-row", "raw", "give --rows %:", "ROW"},
    {"stop-row", "raw", "give --rows :%", "ROW"},
    {"tables", "table", "give --table '%'", "PATTERN"},
    {"regions", "table", "give --table TABLE/%, or --table /% where the logs hold one table", "REGION,..."},
    {"bulk-loads", "table", "give --allow bulk-loaded instead of --bulk-loads list", NULL},
    {"shard", "shards", "give --shards %", "I/N"},
    {"sign-key", "output", "give --config sign-key=%, or set OBKV_SIGN_KEY", "FILE"},
    {"staged", "output", "give --config staged=%, or set OBKV_STAGED", "DIR=URL"},
    {"log-format", "quiet", "give --config log-format=%, or set OBKV_LOG_FORMAT", "FORMAT"},
    {"completion", "help", "give --help completion:%", "SHELL"},
    {"replicas", "expect", "give --expect SIZE,replicas=%", "N"},
    {"growth", "expect", "give --expect SIZE,growth=%", "PERCENT"},
    {"years", "expect", "give --expect SIZE,growth=PERCENT,years=%", "N"},
    {"max-cell-size", "set", "give --set hbase.client.keyvalue.maxsize=%", "SIZE"},
};

/* Returns whether the option is one of the group, also by its letter. */
static bool is_of(const struct opt_group *g, const char *name) {
    for (size_t i = 0; i < g->n; i++) {
        const struct opt_row *r = &g->rows[i];
        if (!strcmp(r->name, name) || (r->letter && name[0] == r->letter && !name[1])) return true;
    }
    return false;
}

const char *opt_renamed(const struct opt_group *const *groups, const char *name, const char *value, char out[OPT_RENAMED_BYTES]) {
    for (size_t i = 0; i < countof(renamed); i++)
        if (!strcmp(renamed[i].name, name) && (!renamed[i].needs || opt_row_named(groups, renamed[i].needs)))
            return opt_peers_fill(renamed[i].now, value && renamed[i].value ? value : renamed[i].value, out, OPT_RENAMED_BYTES);
    if (opt_row_named(groups, "rank") && (is_of(&opt_text, name) || is_of(&opt_key, name)))
        return "import the text first (obkv-import), then compact the dataset";
    return NULL;
}
