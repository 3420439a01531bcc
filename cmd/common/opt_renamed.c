/* Options of earlier versions, and what does their work now: an old name, on the command line or in a file of options, is
 * answered with the new one. A name stays here for good: scripts live long. */
#include "cmd/common/options.h"

#include "base/bytes.h"

#include <string.h>

/* program: NULL: of all that had it. */
static const struct {
    const char *program, *name, *now;
} renamed[] = {
    {NULL, "archive-max-members", "give --archive-limits members=N"},
    {NULL, "archive-max-bytes", "give --archive-limits bytes=SIZE"},
    {NULL, "archive-max-ratio", "give --archive-limits ratio=N"},
    {NULL, "s3-endpoint", "set AWS_ENDPOINT_URL_S3, or write s3-endpoint = URL into a file for --config"},
    {NULL, "s3-region", "set AWS_REGION, or write s3-region = NAME into a file for --config"},
    {NULL, "s3-virtual-host", "write s3-virtual-host = yes into a file for --config"},
    {NULL, "hdfs-namenodes", "write hdfs-namenodes = LIST into a file for --config"},
    {NULL, "hdfs-user", "set HADOOP_USER_NAME, or write hdfs-user = NAME into a file for --config"},
    {NULL, "hdfs-token-file", "set HADOOP_TOKEN_FILE_LOCATION, or write hdfs-token-file = FILE into a file for --config"},
    {NULL, "negotiate", "write negotiate = yes into a file for --config"},
    {NULL, "ca-file", "set AWS_CA_BUNDLE, or write ca-file = FILE into a file for --config"},
    {NULL, "remote-retries", "set AWS_MAX_ATTEMPTS, or write remote-retries = N into a file for --config"},
    {NULL, "remote-timeout", "write remote-timeout = TIME into a file for --config"},
    {"obkv-compact", "minor", "give --rules minor"},
    {"obkv-compact", "minor-rules", "give --rules minor, or --rules minor:before"},
};

/* By its letter, too. */
static bool is_of(const struct opt_group *g, const char *name) {
    for (size_t i = 0; i < g->n; i++) {
        const struct opt_row *r = &g->rows[i];
        if (!strcmp(r->name, name) || (r->letter && name[0] == r->letter && !name[1])) return true;
    }
    return false;
}

const char *opt_renamed(const char *program, const char *name) {
    for (size_t i = 0; i < countof(renamed); i++)
        if (!strcmp(renamed[i].name, name) && (!renamed[i].program || !strcmp(renamed[i].program, program)))
            return renamed[i].now;
    if (!strcmp(program, "obkv-compact") && (is_of(&opt_text, name) || is_of(&opt_key, name)))
        return "import the text first (obkv-import), then compact the dataset";
    return NULL;
}
