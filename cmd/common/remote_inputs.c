/* Makes what remote_mount_open needs of options, environment and files. The names are those of AWS's and Hadoop's own tools, so
 * that what is set up for them works here. Secrets come from the environment and files only, never from the command line.
 * */
#include "cmd/common/named_output.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/remote_credentials.h"
#include "cmd/common/remote_inputs.h"

#include "base/fs.h"
#include "base/plain.h"
#include "base/secret.h"
#include "engine/memory_plan.h"
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CACHE_SHARE = 16, CACHE_MIN_BYTES = 4 << 20, CACHE_MAX_BYTES = 64 << 20, SECRET_FILE_MAX_BYTES = 1 << 20 };

bool remote_inputs_take(const struct options *o, const char *path) {
    return remote_scheme(path) && opt_has_group(o, &opt_remote);
}

bool remote_inputs_write(const struct options *o, const char *program) {
    const bool writes = opt_has_group(o, &opt_output) || !strcmp(program, "obkv-export");
    return writes && o->out.dir && remote_can_write(o->out.dir) && opt_has_group(o, &opt_remote);
}

static const char *first_of(const char *given, const char *const *variables) {
    for (size_t i = 0; !given && variables[i]; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) given = value;
    }
    return given;
}

static int read_credentials(struct remote_inputs *r, struct err *err) {
    const char *given = getenv("AWS_SHARED_CREDENTIALS_FILE"), *home = getenv("HOME"), *named = getenv("AWS_PROFILE");
    const char *profile = named && *named ? named : "default";
    char *path = given ? fs_printf(err, "%s", given) : fs_printf(err, "%s/.aws/credentials", home ? home : "");
    char *text = NULL;
    size_t n = 0;
    struct stat st;
    if (!path) return -1;
    const int there = given || named ? 1 : fs_look(path, &st, err);
    int rc = there < 0 ? -1 : 0;
    if (there == 1) {
        text = fs_read_text(path, SECRET_FILE_MAX_BYTES, &n, err);
        rc = text ? 0 : -1;
        if (!rc) rc = s3_credentials_parse(bytes_of(text, n), path, profile, &r->s3, err);
        if (!rc && named) rc = err_set(err, ERR_USAGE, "%s: has no keys for the profile %s (AWS_PROFILE)", path, profile);
    }
    if (text) explicit_bzero(text, n);
    free(text);
    free(path);
    return rc < 0 ? -1 : 0;
}

/* Takes the identity that Kubernetes sets in a pod with a role. */
static bool set_identity(struct remote_opts *to) {
    static const char *const files[] = {"AWS_WEB_IDENTITY_TOKEN_FILE", NULL}, *const roles[] = {"AWS_ROLE_ARN", NULL},
                             *const sessions[] = {"AWS_ROLE_SESSION_NAME", NULL},
                             *const endpoints[] = {"AWS_ENDPOINT_URL_STS", NULL};
    const char *file = first_of(NULL, files), *role = first_of(NULL, roles);
    if (!file || !role) return false;
    to->s3.key_id = to->s3.secret = to->s3.token = NULL;
    to->s3.identity.token_file = file;
    to->s3.identity.role = role;
    to->s3.identity.session = first_of(NULL, sessions);
    to->s3.identity.endpoint = first_of(NULL, endpoints);
    return true;
}

static int set_s3(struct remote_inputs *r, const struct options *o, struct remote_opts *to, struct err *err) {
    static const char *const endpoints[] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL}, *const regions[] = {
                                                                                                  "AWS_REGION",
                                                                                                  "AWS_DEFAULT_REGION", NULL};
    to->s3.endpoint = first_of(o->remote.s3_endpoint, endpoints);
    to->s3.region = first_of(o->remote.s3_region, regions);
    to->s3.in_host = o->remote.s3_in_host;
    to->s3.key_id = getenv("AWS_ACCESS_KEY_ID");
    to->s3.secret = getenv("AWS_SECRET_ACCESS_KEY");
    to->s3.token = getenv("AWS_SESSION_TOKEN");
    if (to->s3.key_id && to->s3.secret) return 0;
    if (set_identity(to)) return 0;
    if (read_credentials(r, err)) return -1;
    to->s3.key_id = r->s3.key_id;
    to->s3.secret = r->s3.secret;
    to->s3.token = r->s3.token;
    return 0;
}

static int set_hdfs(struct remote_inputs *r, const struct options *o, struct remote_opts *to, struct err *err) {
    static const char *const users[] = {"HADOOP_USER_NAME", "USER", "LOGNAME", NULL}, *const token_files[] = {
                                                                                          "HADOOP_TOKEN_FILE_LOCATION", NULL};
    to->hdfs.namenodes = o->remote.namenodes;
    to->hdfs.negotiate = o->remote.negotiate;
    to->hdfs.user = first_of(o->remote.hdfs_user, users);
    const char *token_file = first_of(o->remote.hdfs_token_file, token_files);
    if (!token_file) return 0;
    if (!(r->hdfs_token = secret_read(token_file, "hdfs-token-file", err))) return -1;
    secret_hold(&r->hold);
    to->hdfs.token = r->hdfs_token;
    return 0;
}

static size_t cache_bytes(const struct options *o) {
    uint64_t share = o->resources.memory / CACHE_SHARE;
    return share < CACHE_MIN_BYTES ? CACHE_MIN_BYTES : share > CACHE_MAX_BYTES ? CACHE_MAX_BYTES : (size_t)share;
}

/* The tools of AWS count attempts: the first one, and the retries. */
static unsigned retries_of(const struct options *o) {
    static const char *const variables[] = {"AWS_MAX_ATTEMPTS", NULL};
    const char *attempts = first_of(NULL, variables);
    uint64_t n = o->remote.retries;
    if (attempts && !opt_given(o, "remote-retries") && !opt_size(attempts, &n) && n) n--;
    return (unsigned)(n < 1000 ? n : 1000);
}

static int open_mount(struct remote_inputs *r, const struct options *o, const struct stop *stop, struct err *err) {
    static const char *const bundles[] = {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", NULL};
    const struct job job = {.memory_bytes = o->resources.memory};
    struct remote_opts to = {.temp_dir = temp_dir_of(o->resources.temp_dir),
                             .room = memory_room(&job, MEMORY_INPUT_LISTS),
                             .stop = stop,
                             .memory_bytes = cache_bytes(o),
                             .retries = retries_of(o),
                             .timeout_s = (unsigned)(o->remote.timeout_s < 86400 ? o->remote.timeout_s : 86400),
                             .ca_file = first_of(o->remote.ca_file, bundles)};
    to.s3.part_bytes = o->remote.s3_part_size;
    if (set_s3(r, o, &to, err) || set_hdfs(r, o, &to, err) || hadoop_conf_read(&r->hadoop, err)) return -1;
    hadoop_conf_apply(&r->hadoop, &to);
    r->mount = remote_mount_open(&to, err);
    return r->mount ? 0 : -1;
}

int remote_inputs_open(struct remote_inputs *r, const struct options *o, const struct stop *stop, struct path_names *names,
                       struct err *err) {
    int any = 0, rc = 0;
    for (int i = 0; i < o->n_inputs; i++) any |= remote_scheme(o->inputs[i]) != 0;
    const bool writes = o->out.dir && remote_can_write(o->out.dir); /* else it was refused */
    if (!any && !writes) return 0;
    if (open_mount(r, o, stop, err) || remote_mount_names(r->mount, names, err)) return -1;
    if (!(r->paths = calloc((size_t)o->n_inputs + 1, sizeof *r->paths))) return err_nomem(err, 0, "the list of inputs");
    for (; !rc && r->n < o->n_inputs; r->n++) {
        const char *given = o->inputs[r->n];
        if (remote_scheme(given))
            rc = remote_mount_add(r->mount, given, &r->paths[r->n], err);
        else if (!(r->paths[r->n] = strdup(given)))
            rc = err_nomem(err, strlen(given), "a path");
    }
    if (!rc && writes) rc = remote_mount_add_output(r->mount, o->out.dir, &r->out, err);
    if (rc || remote_mount_serve(r->mount, err)) return -1;
    r->output = named_output_begin(names, err);
    return r->output ? 0 : -1;
}

void remote_inputs_close(struct remote_inputs *r) {
    named_output_end(r->output);
    remote_mount_close(r->mount);
    for (int i = 0; i < r->n; i++) free(r->paths[i]);
    free(r->paths);
    free(r->out);
    s3_credentials_free(&r->s3);
    hadoop_conf_free(&r->hadoop);
    secret_wipe(&r->hdfs_token);
    secret_release(&r->hold);
    *r = (struct remote_inputs){0};
}
