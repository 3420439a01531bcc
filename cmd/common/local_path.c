/* Inputs and outputs are paths of this machine. hdfs://nn/out would be taken for a directory "hdfs:", so that a job ends well and
 * no one finds what it wrote: such a name is refused, with the command that copies from or to there. */
#include "cmd/common/inputs.h"

#include <string.h>

static const struct {
    const char *scheme, *get, *put;
} copiers[] = {
    {"hdfs", "hdfs dfs -get", "hdfs dfs -put"},
    {"webhdfs", "hdfs dfs -get", "hdfs dfs -put"},
    {"s3", "aws s3 cp --recursive", "aws s3 cp --recursive"},
    {"s3a", "hadoop fs -get", "hadoop fs -put"},
    {"s3n", "hadoop fs -get", "hadoop fs -put"},
    {"oss", "ossutil cp -r", "ossutil cp -r"},
    {"cosn", "hadoop fs -get", "hadoop fs -put"},
    {"obs", "hadoop fs -get", "hadoop fs -put"},
    {"gs", "gcloud storage cp -r", "gcloud storage cp -r"},
    {"abfs", "hadoop fs -get", "hadoop fs -put"},
    {"abfss", "hadoop fs -get", "hadoop fs -put"},
    {"http", "curl -O", NULL},
    {"https", "curl -O", NULL},
    {"ftp", "curl -O", NULL},
};

/* Length of the scheme of a URL; 0: it is none. */
static size_t scheme_length(const char *path) {
    size_t n = strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return strncmp(path + n, "://", 3) ? 0 : n;
}

int local_path_check(const char *path, bool output, struct err *err) {
    size_t n = path ? scheme_length(path) : 0;
    if (!n) return 0;
    if (n == 4 && !strncasecmp(path, "file", n))
        return err_set(err, ERR_USAGE, "%s is a URL; give only the path, %s", path, path + n + strlen("://"));
    for (size_t i = 0; i < countof(copiers); i++) {
        if (strlen(copiers[i].scheme) != n || strncasecmp(path, copiers[i].scheme, n)) continue;
        if (!output) return err_set(err, ERR_USAGE, "%s is not on this machine; copy it first (%s)", path, copiers[i].get);
        if (copiers[i].put)
            return err_set(err, ERR_USAGE, "%s is not on this machine; write to a local directory, then copy it (%s)", path,
                           copiers[i].put);
    }
    return err_set(err, ERR_USAGE, "%s is a URL; only local paths are %s (such as ./%s)", path, output ? "written" : "read",
                   path);
}
