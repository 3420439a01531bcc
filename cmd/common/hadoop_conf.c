/* Takes from Hadoop's configuration where servers are and how they are spoken to, so that a URL which works with `hdfs dfs` or
 * `hadoop fs` on a machine works here: namenodes of each name service by WebHDFS, the default file system, Kerberos, and the
 * server and keys of S3A. */
#include "cmd/common/hadoop_conf.h"

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/common/site_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define DFS "dfs.namenode."
#define WEBHDFS_PORT ":9870"

/* Returns the value of a setting; NULL: it has none. */
static const char *value_of(const struct hadoop_conf *c, const char *name) {
    const struct property *p = property_list_find(&c->list, name);
    return p && *p->value ? p->value : NULL;
}

static bool is_on(const struct hadoop_conf *c, const char *name, bool by_default) {
    const char *value = value_of(c, name);
    return value ? !strcasecmp(value, "true") : by_default;
}

/* Returns the value of name.SERVICE.ID, or of what there is of it; NULL: it has none. */
static const char *value_for(const struct hadoop_conf *c, const char *name, struct bytes service, struct bytes id) {
    char full[512];
    snprintf(full, sizeof full, "%s%s%.*s%s%.*s", name, service.n ? "." : "", (int)service.n,
             service.n ? (const char *)service.p : "", id.n ? "." : "", (int)id.n, id.n ? (const char *)id.p : "");
    return value_of(c, full);
}

/* Takes the next name of a list with commas and blanks. */
static bool next_name(const char **list, struct bytes *name) {
    static const char between[] = ", \t\r\n";
    if (!*list) return false;
    *list += strspn(*list, between);
    *name = bytes_of(*list, strcspn(*list, between));
    *list += name->n;
    return name->n;
}

/* ---- namenodes ---- */

static bool is_https(const struct hadoop_conf *c) {
    const char *policy = value_of(c, "dfs.http.policy");
    return policy && !strcmp(policy, "HTTPS_ONLY");
}

/* Puts where a namenode answers WebHDFS. Where nothing says so, or any address of the machine is meant: the host of its RPC. */
static int put_namenode(struct buf *out, const struct hadoop_conf *c, struct bytes service, struct bytes id, struct err *err) {
    const bool tls = is_https(c);
    const char *web = value_for(c, tls ? DFS "https-address" : DFS "http-address", service, id);
    const char *rpc = value_for(c, DFS "rpc-address", service, id), *port = web ? strrchr(web, ':') : NULL;
    const bool any = web && !strncmp(web, "0.0.0.0", 7);
    if (web && !any) return buf_printf(out, err, "%s%s", out->n ? "," : "", web);
    if (!rpc && !service.n) rpc = c->default_host;
    if (!rpc) return 0;
    return buf_printf(out, err, "%s%.*s%s", out->n ? "," : "", (int)strcspn(rpc, ":"), rpc,
                      port  ? port
                      : tls ? ":9871"
                            : WEBHDFS_PORT);
}

static int add_service(struct hadoop_conf *c, struct bytes name, const struct buf *namenodes, struct err *err) {
    if (!namenodes->n) return 0;
    if (grow_array(&c->services, c->n, sizeof *c->services, "name services", err)) return -1;
    struct remote_service *s = &c->services[c->n];
    *s = (struct remote_service){.name = fs_printf(err, "%.*s", (int)name.n, (const char *)name.p),
                                 .namenodes = fs_printf(err, "%.*s", (int)namenodes->n, (const char *)namenodes->p),
                                 .tls = is_https(c)};
    c->n++;
    return s->name && s->namenodes ? 0 : -1;
}

static int take_service(struct hadoop_conf *c, struct bytes service, struct err *err) {
    const char *ids = value_for(c, "dfs.ha.namenodes", service, (struct bytes){0});
    struct bytes id = {0};
    struct buf namenodes = {0};
    int rc = ids ? 0 : put_namenode(&namenodes, c, service, id, err);
    while (!rc && next_name(&ids, &id)) rc = put_namenode(&namenodes, c, service, id, err);
    if (!rc) rc = add_service(c, service, &namenodes, err);
    buf_free(&namenodes);
    return rc;
}

/* One namenode without a name service: of the default file system. */
static int take_single(struct hadoop_conf *c, struct err *err) {
    struct buf namenode = {0};
    int rc = put_namenode(&namenode, c, (struct bytes){0}, (struct bytes){0}, err);
    if (!rc) rc = add_service(c, bytes_of(c->default_host, strcspn(c->default_host, ":")), &namenode, err);
    buf_free(&namenode);
    return rc;
}

static int take_services(struct hadoop_conf *c, struct err *err) {
    static const char scheme[] = "hdfs://";
    const char *fs = value_of(c, "fs.defaultFS"), *services = value_of(c, "dfs.nameservices");
    struct bytes name;
    if (fs && !strncmp(fs, scheme, strlen(scheme))) {
        fs += strlen(scheme);
        c->default_host = fs_printf(err, "%.*s", (int)strcspn(fs, "/"), fs);
        if (!c->default_host) return -1;
    }
    if (!services) return c->default_host ? take_single(c, err) : 0;
    int rc = 0;
    while (!rc && next_name(&services, &name)) rc = take_service(c, name, err);
    return rc;
}

/* ---- S3A ---- */

static int take_endpoint(struct hadoop_conf *c, struct err *err) {
    const char *end = value_of(c, "fs.s3a.endpoint");
    if (!end) return 0;
    const char *scheme = strstr(end, "://") ? "" : is_on(c, "fs.s3a.connection.ssl.enabled", true) ? "https://" : "http://";
    c->s3_endpoint = fs_printf(err, "%s%s", scheme, end);
    return c->s3_endpoint ? 0 : -1;
}

static void apply_s3(const struct hadoop_conf *c, struct remote_opts *to) {
    if (!to->s3.endpoint && c->s3_endpoint) {
        to->s3.endpoint = c->s3_endpoint;
        to->s3.in_host = to->s3.in_host || !is_on(c, "fs.s3a.path.style.access", false);
    }
    if (!to->s3.region) to->s3.region = value_of(c, "fs.s3a.endpoint.region");
    if ((to->s3.key_id && to->s3.secret) || to->s3.identity.token_file) return;
    to->s3.key_id = value_of(c, "fs.s3a.access.key");
    to->s3.secret = value_of(c, "fs.s3a.secret.key");
    to->s3.token = value_of(c, "fs.s3a.session.token");
}

/* ---- all of it ---- */

static int read_file(struct hadoop_conf *c, const char *directory, const char *name, struct err *err) {
    char *path = fs_join(directory, name, err);
    struct stat st;
    const int there = path ? fs_look(path, &st, err) : -1;
    int rc = there < 0 || (there && site_file_read(path, &c->list, err)) ? -1 : 0;
    free(path);
    return rc;
}

static const char *variable(const char *name) {
    return getenv(name);
}

int hadoop_conf_take(struct hadoop_conf *c, const char *(*env)(const char *name), struct err *err) {
    return property_vars_substitute(&c->list, env, err) || take_services(c, err) || take_endpoint(c, err) ? -1 : 0;
}

int hadoop_conf_read(struct hadoop_conf *c, struct err *err) {
    const char *directory = getenv("HADOOP_CONF_DIR");
    if (!directory || !*directory) return 0;
    struct stat st;
    const int there = fs_look(directory, &st, err);
    if (there < 0) return -1;
    if (!there || !S_ISDIR(st.st_mode)) return err_set(err, ERR_USAGE, "%s: is no directory (HADOOP_CONF_DIR)", directory);
    if (read_file(c, directory, "core-site.xml", err) || read_file(c, directory, "hdfs-site.xml", err)) return -1;
    return hadoop_conf_take(c, variable, err);
}

void hadoop_conf_apply(const struct hadoop_conf *c, struct remote_opts *to) {
    const char *proof = value_of(c, "hadoop.security.authentication");
    to->hdfs.services = c->services;
    to->hdfs.n_services = c->n;
    to->hdfs.by_default = c->default_host;
    if (!to->hdfs.token && proof && !strcasecmp(proof, "kerberos")) to->hdfs.negotiate = true;
    apply_s3(c, to);
}

void hadoop_conf_free(struct hadoop_conf *c) {
    property_list_free(&c->list);
    for (size_t i = 0; i < c->n; i++) {
        free((char *)(uintptr_t)c->services[i].name);
        free((char *)(uintptr_t)c->services[i].namenodes);
    }
    free(c->services);
    free(c->default_host);
    free(c->s3_endpoint);
    *c = (struct hadoop_conf){0};
}
