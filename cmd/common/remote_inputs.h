/* Inputs that are URLs: which ones a command reads, with whose credentials. Exports: remote, s3, named */
#ifndef CMD_COMMON_REMOTE_INPUTS_H
#define CMD_COMMON_REMOTE_INPUTS_H

#include "base/secret.h"
#include "cmd/common/hadoop_conf.h"
#include "cmd/common/options.h"

struct named_output;
struct remote_mount;

struct path_names;
struct stop;

/* The remote inputs of a run, and its output if that is on a server. Zero-initialise. */
struct remote_inputs {
    struct remote_mount *mount; /* NULL: all inputs are local */
    char **paths;               /* of the inputs, with URLs replaced by where they are shown */
    int n;
    char *out; /* where an output on a server is written; NULL: it is local */
    struct s3_credentials {
        char *key_id, *secret, *token;
    } s3; /* from a file */
    char *hdfs_token;
    struct hadoop_conf hadoop;
    struct secret_hold hold;
    struct named_output *output; /* standard output, with URLs for paths */
};

/* Returns whether path is a URL that this command reads. */
bool remote_inputs_take(const struct options *o, const char *path);
/* Returns whether the output is a URL that this command writes. */
bool remote_inputs_write(const struct options *o, const char *program);
/* Lists the URLs among the inputs, and shows them. Must be closed in any case. ERR_INPUT, ERR_BUSY, ERR_USAGE. */
int remote_inputs_open(struct remote_inputs *r, const struct options *o, const struct stop *stop, struct path_names *names,
                       struct err *err);
void remote_inputs_close(struct remote_inputs *r);

#endif
