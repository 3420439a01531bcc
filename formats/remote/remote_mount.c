/* The mount: it lists what is asked for, shows it (remote_tree.c), and serves the bytes of these files on a socket, with a few
 * threads that answer and a few that read ahead. */
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_curl.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_keys.h"
#include "formats/remote/remote_mount.h"
#include "formats/remote/remote_outputs.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_s3.h"
#include "formats/remote/remote_source.h"
#include "formats/remote/remote_tree.h"
#include "formats/remote/remote_windows.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/plain.h"
#include "base/remote.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SERVERS = 8, READERS_AHEAD = 4, SENDERS = 4, BACKLOG = 512, STACK_BYTES = 1 << 20 };

struct remote_mount {
    struct remote_opts o;
    struct remote_curl curl;
    struct remote_counts counts;
    struct remote_keys keys;
    struct remote_tree tree;
    struct remote_windows *windows;
    struct remote_outputs *outputs; /* NULL: none is on a server */
    struct remote_source **sources;
    size_t n_sources;
    struct remote_client *lister;
    int socket;
    bool is_serving;
    pthread_t threads[SERVERS + READERS_AHEAD + SENDERS];
    unsigned n_threads;
};

/* ---- answering ---- */

static void answer_error(int s, const struct err *err) {
    size_t n = strlen(err->text);
    const struct remote_reply reply = {(int32_t)err->code, err->sys, n};
    if (!remote_send(s, &reply, sizeof reply)) (void)remote_send(s, err->text, n);
}

static void answer(int s, const void *p, size_t n) {
    const struct remote_reply reply = {0, 0, n};
    if (!remote_send(s, &reply, sizeof reply) && n) (void)remote_send(s, p, n);
}

/* Refuses a file of another length, tag or time than when it was listed. */
static int check_unchanged(struct remote_client *c, const struct remote_file *f, struct err *err) {
    struct remote_facts now;
    int is = remote_source_stat(c, f->source, f->path, &now, err);
    if (is < 0) return -1;
    bool same =
        is && now.bytes == f->facts.bytes && (!*now.tag || !*f->facts.tag || remote_headers_same_tag(now.tag, f->facts.tag));
    if (same && f->source->kind == REMOTE_HDFS) same = now.mtime_ms == f->facts.mtime_ms;
    if (same && !*now.tag && now.mtime_ms >= 0 && f->facts.mtime_ms >= 0) same = now.mtime_ms / 1000 == f->facts.mtime_ms / 1000;
    if (same) return 0;
    err_set(err, ERR_INPUT,
            is ? "%s/%s: changed while it was being read (%lld bytes now); run again when no program writes to it"
               : "%s/%s: disappeared while it was being read",
            f->source->shown, f->path, is ? (long long)now.bytes : 0LL);
    err->sys = EREMOTEIO;
    return -1;
}

struct mount_server {
    struct remote_mount *m;
    struct remote_client *client;
    uint8_t *piece;
    char name[REMOTE_PATH_MAX];
};

/* The source of a name in the mount. */
static const struct remote_source *source_of(const struct remote_mount *m, const char *name) {
    for (size_t i = 0; i < m->n_sources; i++) {
        const size_t n = strlen(m->sources[i]->place);
        if (!strncmp(m->sources[i]->place, name, n) && (name[n] == '/' || !name[n])) return m->sources[i];
    }
    return NULL;
}

static int write_output(struct mount_server *v, enum remote_wish wish, struct err *err) {
    struct remote_outputs *o = v->m->outputs;
    const struct remote_source *s = source_of(v->m, v->name);
    if (!o || !s) return err_set(err, ERR_INTERNAL, "%s: is no output", v->name);
    if (wish == REMOTE_WISH_PUT) return remote_outputs_put(o, s, v->name, err);
    if (wish == REMOTE_WISH_REPORT) return remote_outputs_report(o, v->client, s, v->name, err);
    return wish == REMOTE_WISH_TIDY ? remote_outputs_tidy(o, v->client, s, v->name, err)
                                    : remote_outputs_publish(o, v->client, s, v->name, err);
}

static void serve(struct mount_server *v, int s) {
    struct remote_request r;
    struct err err = {0};
    if (remote_receive(s, &r, sizeof r) || r.path_bytes >= sizeof v->name || remote_receive(s, v->name, r.path_bytes)) return;
    v->name[r.path_bytes] = 0;
    const bool reads = r.wish == REMOTE_WISH_READ || r.wish == REMOTE_WISH_CHECK;
    const struct remote_file *f = reads ? remote_tree_find(&v->m->tree, v->name) : NULL;
    if (reads && !f && v->m->outputs) f = remote_outputs_find(v->m->outputs, v->name);
    ssize_t n = 0;
    if (!reads)
        n = write_output(v, (enum remote_wish)r.wish, &err);
    else if (!f)
        n = err_set(&err, ERR_INPUT, "%s: was not listed", v->name);
    else if (r.wish == REMOTE_WISH_CHECK)
        n = check_unchanged(v->client, f, &err);
    else if (r.n && r.offset < (uint64_t)f->facts.bytes)
        n = remote_windows_read(v->m->windows, v->client, f, r.offset, v->piece,
                                r.n < REMOTE_PIECE_MAX ? (size_t)r.n : REMOTE_PIECE_MAX, &err);
    if (n < 0)
        answer_error(s, &err);
    else
        answer(s, v->piece, (size_t)n);
}

static void *server_main(void *arg) {
    struct err err = {0};
    struct mount_server v = {.m = arg,
                             .client = remote_client_new(&v.m->o, &v.m->curl, &v.m->counts, &v.m->keys, &err),
                             .piece = malloc(REMOTE_PIECE_MAX)};
    if (!v.piece) err_nomem(&err, REMOTE_PIECE_MAX, "reading remote files");
    for (;;) {
        int s = accept4(v.m->socket, NULL, NULL, SOCK_CLOEXEC);
        if (s < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EMFILE || errno == ENFILE)) continue;
        if (s < 0) break; /* shut down */
        if (err.code)
            answer_error(s, &err);
        else
            serve(&v, s);
        fd_close(s);
    }
    remote_client_free(v.client);
    free(v.piece);
    return NULL;
}

static void *ahead_main(void *arg) {
    struct remote_mount *m = arg;
    struct err err = {0};
    struct remote_client *c = remote_client_new(&m->o, &m->curl, &m->counts, &m->keys, &err);
    while (c && !remote_windows_ahead(m->windows, c)) {
    }
    remote_client_free(c);
    return NULL;
}

static void *sender_main(void *arg) {
    struct remote_mount *m = arg;
    struct err err = {0};
    struct remote_client *c = remote_client_new(&m->o, &m->curl, &m->counts, &m->keys, &err);
    if (c) remote_client_ends(c, remote_outputs_ended(m->outputs));
    while (!remote_outputs_work(m->outputs, c, &err)) {
    }
    remote_client_free(c);
    return NULL;
}

/* ---- life ---- */

static int bind_socket(struct remote_mount *m, struct err *err) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" REMOTE_SOCKET, m->tree.dir_fd);
    m->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (m->socket >= 0 && !bind(m->socket, (const struct sockaddr *)&at, sizeof at) && !listen(m->socket, BACKLOG)) return 0;
    return err_sys(err, ERR_OUTPUT, errno, "%s: cannot make a socket in it", m->tree.dir);
}

static int start(struct remote_mount *m, struct err *err) {
    pthread_attr_t a;
    int failed = 0;
    if (m->is_serving) return 0;
    if (bind_socket(m, err)) return -1;
    if ((failed = pthread_attr_init(&a))) return err_sys(err, ERR_LIMIT, failed, "cannot start threads that read remote files");
    (void)pthread_attr_setstacksize(&a, STACK_BYTES); /* threads start with more otherwise */
    const unsigned senders = m->outputs ? SENDERS : 0;
    for (unsigned i = 0; !failed && i < senders + SERVERS + READERS_AHEAD; i++) {
        void *(*run)(void *) = i < senders ? sender_main : i < senders + SERVERS ? server_main : ahead_main;
        failed = pthread_create(&m->threads[i], &a, run, m);
        m->n_threads += !failed;
    }
    pthread_attr_destroy(&a);
    m->is_serving = m->n_threads > senders; /* one of each kind that others wait for */
    return m->is_serving ? 0 : err_sys(err, ERR_LIMIT, failed, "cannot start threads that read remote files");
}

struct remote_mount *remote_mount_open(const struct remote_opts *o, struct err *err) {
    struct remote_mount *m = calloc(1, sizeof *m);
    if (!m) {
        err_nomem(err, sizeof *m, "remote inputs");
        return NULL;
    }
    m->o = *o;
    remote_keys_begin(&m->keys);
    m->socket = m->tree.dir_fd = -1;
    if (!remote_curl_open(&m->curl, err) && !remote_tree_open(&m->tree, o->temp_dir, &o->room, err) &&
        (m->windows = remote_windows_new(o->memory_bytes, err)) &&
        (m->lister = remote_client_new(&m->o, &m->curl, &m->counts, &m->keys, err)))
        return m;
    remote_mount_close(m);
    return NULL;
}

void remote_mount_close(struct remote_mount *m) {
    if (!m) return;
    if (m->socket >= 0) (void)shutdown(m->socket, SHUT_RDWR); /* wakes those who wait; a socket that listens can be shut down */
    if (m->windows) remote_windows_end(m->windows);
    if (m->outputs) remote_outputs_end(m->outputs);
    for (unsigned i = 0; i < m->n_threads; i++) pthread_join(m->threads[i], NULL);
    fd_close(m->socket);
    remote_client_free(m->lister);
    remote_windows_free(m->windows);
    remote_outputs_free(m->outputs);
    remote_tree_close(&m->tree);
    for (size_t i = 0; i < m->n_sources; i++) remote_source_free(m->sources[i]);
    free(m->sources);
    remote_curl_close(&m->curl);
    remote_keys_end(&m->keys);
    free(m);
}

/* ---- listing ---- */

struct adding {
    struct remote_mount *m;
    const struct remote_source *source;
    uint64_t n;
};

static int add_file(void *arg, const char *path, const struct remote_facts *facts, struct err *err) {
    struct adding *a = arg;
    a->n++;
    return remote_tree_add(&a->m->tree, a->source, path, facts, err);
}

static int list(struct remote_mount *m, const struct remote_address *at, bool may_miss, struct err *err) {
    struct adding a = {m, at->source, 0};
    const struct remote_found found = {add_file, &a};
    struct remote_facts facts;
    int rc = -1;
    if (at->source->kind == REMOTE_S3)
        rc = remote_s3_list(m->lister, at->source, at->path, &found, err);
    else if (at->source->kind == REMOTE_HDFS)
        rc = remote_hdfs_list(m->lister, at->source, at->path, &found, err);
    else if ((rc = remote_source_stat(m->lister, at->source, at->path, &facts, err)) == 1 && add_file(&a, at->path, &facts, err))
        rc = -1;
    if (rc < 0) return -1;
    if (!a.n && may_miss) return 0;
    if (!a.n) return err_set(err, ERR_INPUT, "%s/%s: there is no such file, and nothing below it", at->source->shown, at->path);
    return rc ? 0 : remote_tree_add_directory(&m->tree, at->source, at->path, err);
}

static int add_source(struct remote_mount *m, const char *url, struct remote_address *at, struct err *err) {
    int rc = remote_address_parse(url, &m->o, at, err);
    if (!rc) rc = grow_array(&m->sources, m->n_sources, sizeof *m->sources, "remote inputs", err);
    if (rc)
        remote_source_free(at->source);
    else
        m->sources[m->n_sources++] = at->source;
    return rc;
}

/* Where what is listed is shown. */
static int show_path(const struct remote_mount *m, const struct remote_address *at, char **path, struct err *err) {
    const char *rest = at->pattern ? at->pattern : at->path;
    *path = fs_printf(err, "%s/%s%s%s", m->tree.dir, at->source->place, *rest ? "/" : "", rest);
    return *path ? 0 : -1;
}

int remote_mount_add(struct remote_mount *m, const char *url, char **path, struct err *err) {
    struct remote_address at;
    int rc = add_source(m, url, &at, err) || list(m, &at, false, err) || show_path(m, &at, path, err) ? -1 : 0;
    remote_address_free(&at);
    return rc;
}

/* Shows the manifests of the directories above an output: nothing is written into another output. */
static int list_above(struct remote_mount *m, const struct remote_address *at, struct err *err) {
    enum { LEVELS = 2 };
    char *up = fs_printf(err, "%s", at->path);
    int rc = up ? 0 : -1;
    for (int i = 0; !rc && i < LEVELS && *up; i++) {
        struct remote_facts facts;
        char *slash = strrchr(up, '/');
        *(slash ? slash : up) = 0;
        char *path = fs_printf(err, "%s%sMANIFEST.json", up, *up ? "/" : "");
        int is = path ? remote_source_stat(m->lister, at->source, path, &facts, err) : -1;
        rc = is == 1 ? remote_tree_add(&m->tree, at->source, path, &facts, err) : is;
        free(path);
    }
    free(up);
    return rc;
}

int remote_mount_add_output(struct remote_mount *m, const char *url, char **path, struct err *err) {
    struct remote_address at;
    int rc = add_source(m, url, &at, err);
    if (!rc && at.pattern) rc = err_set(err, ERR_USAGE, "-o %s: names of an output have no *, ? or [", url);
    if (!rc && !(m->outputs = remote_outputs_new(&m->tree, err))) rc = -1;
    if (!rc) rc = list(m, &at, true, err) || list_above(m, &at, err) || show_path(m, &at, path, err) ? -1 : 0;
    remote_address_free(&at);
    return rc;
}

int remote_mount_serve(struct remote_mount *m, struct err *err) {
    remote_tree_sort(&m->tree);
    return start(m, err);
}

int remote_mount_names(const struct remote_mount *m, struct path_names *names, struct err *err) {
    int rc = 0;
    const char *scheme;
    for (size_t i = 0; !rc && (scheme = remote_scheme_name(i)); i++) {
        char *dir = fs_printf(err, "%s/%s:", m->tree.dir, scheme), *name = fs_printf(err, "%s:/", scheme);
        rc = dir && name ? path_names_add(names, dir, name, err) : -1;
        free(dir);
        free(name);
    }
    return rc;
}

uint64_t remote_mount_bytes(const struct remote_mount *m) {
    return __atomic_load_n(&m->counts.bytes, __ATOMIC_RELAXED);
}

uint64_t remote_mount_requests(const struct remote_mount *m) {
    return __atomic_load_n(&m->counts.requests, __ATOMIC_RELAXED);
}

uint64_t remote_mount_sent(const struct remote_mount *m) {
    return m->outputs ? remote_outputs_bytes(m->outputs) : 0;
}

uint64_t remote_mount_kept(const struct remote_mount *m) {
    return m->outputs ? remote_outputs_kept(m->outputs) : 0;
}

uint64_t remote_mount_retries(const struct remote_mount *m) {
    return __atomic_load_n(&m->counts.retries, __ATOMIC_RELAXED);
}

uint64_t remote_mount_memory(const struct remote_mount *m) {
    return m->o.memory_bytes + m->tree.room.taken + SERVERS * (uint64_t)REMOTE_PIECE_MAX +
           (m->outputs ? REMOTE_OUTPUTS_MEMORY : 0);
}
