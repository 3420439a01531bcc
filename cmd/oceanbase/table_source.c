/* An OBKV-HBase table as an input. The definitions come from the catalogue, and all partitions are read as of one moment, if the
 * server can do that. The server sums them up first: so the sizes are known, a later run sees whether anything has changed, and
 * each reader can prove at its end that it has read what the server counted.
 *
 *     catalogue ─> definition, moment ─> sums of each partition ─> readers, several at once: rows in key order, sums again
 *
 * A thread waits for a request to stop, and interrupts readers that wait for the server. */
#include "cmd/oceanbase/table_source.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/pool.h"
#include "cmd/oceanbase/sums_query.h"
#include "cmd/oceanbase/table_rows.h"
#include "select/selection_make.h"
#include "table/ddl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- definitions, the moment ---- */

static int read_table(struct table_source *s, struct connection *c, struct err *err) {
    struct buf text = {0};
    int rc = catalog_dump(c, s->o.login->address.database, s->o.name, &text, err);
    if (!rc) rc = list_room_take(&s->o.definitions, text.n, "the definition of the table takes", err);
    if (!rc) rc = ddl_parse(s->place, (const char *)text.p, text.n, &s->table, err);
    buf_free(&text);
    return rc ? rc : connection_snapshot(c, &s->snapshot, err);
}

/* A server that is not there is no matter for retries: nothing has been done yet. */
static int ask_table(struct table_source *s, struct err *err) {
    unsigned number;
    struct connection *c = connection_open(s->o.login, &number, err);
    int rc = c ? read_table(s, c, err) : -1;
    connection_close(c);
    return rc;
}

/* ---- pieces ---- */

enum { PIECE_NAME_BYTES = 80 }; /* beside the table's: words and the partition's name */

static int add_piece(struct table_source *s, uint32_t family, uint32_t partition, struct err *err) {
    const struct partitioning *p = &s->table.partitioning;
    const char *table = s->table.families[family].sql_table;
    const uint64_t bytes = sizeof *s->pieces + LIST_ROOM_EACH + PIECE_NAME_BYTES + strlen(table);
    if (list_room_take(&s->o.partitions, bytes, "the list of partitions takes", err) ||
        grow_array(&s->pieces, s->n, sizeof *s->pieces, "partitions", err))
        return -1;
    struct table_piece *at = &s->pieces[s->n];
    *at = (struct table_piece){.family = family, .partition = partition};
    at->name = p->kind == PARTITION_NONE ? fs_printf(err, "table %s", table)
                                         : fs_printf(err, "table %s, partition %s", table, p->names[partition]);
    s->n += at->name != NULL;
    return at->name ? 0 : -1;
}

static int list_pieces(struct table_source *s, struct err *err) {
    for (uint32_t f = 0; f < s->table.n_families; f++) {
        struct bytes now;
        if (s->o.selection && !selection_family(s->o.selection, bytes_str(s->table.families[f].name), &now)) continue;
        for (uint32_t i = 0; i < s->table.partitioning.count; i++)
            if (add_piece(s, f, i, err)) return -1;
    }
    return 0;
}

/* ---- sums ---- */

struct summing {
    struct table_source *s;
    struct pool pool;
    size_t next, done;
};

/* Pieces of one family that follow on each other; false: there are none left. */
static bool next_pieces(struct summing *a, size_t *first, size_t *n) {
    enum { TOGETHER = 8 };
    const struct table_source *s = a->s;
    pthread_mutex_lock(&a->pool.lock);
    *first = a->next;
    for (*n = 0; !a->pool.halt && a->next < s->n && *n < TOGETHER && s->pieces[a->next].family == s->pieces[*first].family; ++*n)
        a->next++;
    pthread_mutex_unlock(&a->pool.lock);
    return *n > 0;
}

static int sum_pieces(struct summing *a, struct connection *c, size_t first, size_t n, struct err *err) {
    struct table_source *s = a->s;
    const struct family *f = &s->table.families[s->pieces[first].family];
    const char **names = calloc(n, sizeof *names);
    struct cell_sums *sums = calloc(n, sizeof *sums);
    int rc = names && sums ? 0 : err_nomem(err, n * sizeof *sums, "sums of partitions");
    for (size_t i = 0; !rc && i < n && s->table.partitioning.kind != PARTITION_NONE; i++)
        names[i] = s->table.partitioning.names[s->pieces[first + i].partition];
    const struct sums_places places = {
        .table = f->sql_table, .partitions = names, .n = n, .opts = {.ttl_column = f->has_ttl_column}, .snapshot = s->snapshot};
    if (!rc) rc = sums_query_each(c, &places, sums, err);
    pthread_mutex_lock(&a->pool.lock);
    for (size_t i = 0; !rc && i < n; i++) s->pieces[first + i].sums = sums[i];
    if (!rc) a->done += n; /* else they are asked for again */
    pthread_mutex_unlock(&a->pool.lock);
    free(names);
    free(sums);
    return rc;
}

/* One try, over *c, which is made where there is none; 1: try again. */
static int try_pieces(struct summing *a, struct pool_worker *me, struct connection **c, size_t first, size_t n, unsigned attempt,
                      struct err *err) {
    struct err own = {0};
    unsigned number = 0;
    int rc = *c || (*c = connection_open(a->s->o.login, &number, &own)) ? 0 : -1;
    if (!rc) {
        pool_set_session(me, connection_id(*c));
        rc = sum_pieces(a, *c, first, n, &own);
        pool_set_session(me, 0);
        number = connection_error(*c);
    }
    if (!rc) return 0;
    connection_close(*c);
    *c = NULL;
    if (pool_try_again(&a->pool, number, attempt, a->s->o.retries)) return 1;
    err_keep(err, &own);
    const char *name = a->s->pieces[first].name;
    return n > 1 ? err_prefix(err, "%s, or one of the %zu after it", name, n - 1) : err_prefix(err, "%s", name);
}

static void sum_up(void *arg, struct pool_worker *me, struct err *err) {
    struct summing *a = arg;
    struct connection *c = NULL;
    size_t first, n;
    for (int rc = 0; !rc && next_pieces(a, &first, &n);)
        for (unsigned attempt = 0; (rc = try_pieces(a, me, &c, first, n, attempt, err)) > 0; attempt++) {
        }
    connection_close(c);
}

static void tick(void *arg) {
    const struct summing *a = arg;
    if (a->s->o.tick) a->s->o.tick(a->s->o.arg, a->done, a->s->n);
}

static int sum_all(struct table_source *s, struct err *err) {
    struct summing a = {.s = s};
    const struct pool_opts o = {
        .login = s->o.login, .stop = s->o.stop, .jobs = s->o.jobs, .work = sum_up, .tick = tick, .arg = &a};
    pool_init(&a.pool);
    int rc = s->n ? pool_run(&a.pool, &o, err) : 0;
    pool_free(&a.pool);
    for (size_t i = 0; i < s->n; i++) {
        s->rows += s->pieces[i].sums.rows;
        s->bytes += s->pieces[i].sums.bytes;
    }
    return rc;
}

/* ---- the watcher ---- */

/* Looks every second, too: to wake it may fail. */
static void *watch(void *arg) {
    enum { LOOK_MS = 1000 };
    struct table_source *s = arg;
    struct pollfd p[2] = {{.fd = s->wake, .events = POLLIN}, {.fd = s->o.stop->fd, .events = POLLIN}};
    while (!p[0].revents && !p[1].revents && !__atomic_load_n(&s->ends, __ATOMIC_RELAXED) &&
           (poll(p, 2, LOOK_MS) >= 0 || errno == EINTR)) {
    }
    if (!p[1].revents) return NULL;
    pthread_mutex_lock(&s->lock);
    s->stopped = true;
    for (size_t i = 0; i < s->n_waiting; i++) table_rows_interrupt(s->waiting[i]);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static int start_watcher(struct table_source *s, struct err *err) {
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0) return err_sys(err, ERR_LIMIT, errno, "eventfd");
    s->wake = fd;
    int rc = pthread_create(&s->watcher, NULL, watch, s);
    if (!rc) return 0;
    s->wake = -1;
    fd_close(fd);
    return err_sys(err, ERR_LIMIT, rc, "cannot start a thread");
}

static void end_watcher(struct table_source *s) {
    const uint64_t one = 1;
    if (s->wake < 0) return;
    __atomic_store_n(&s->ends, true, __ATOMIC_RELAXED);
    while (write(s->wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    pthread_join(s->watcher, NULL);
    fd_close(s->wake);
}

int table_source_enlist(struct table_source *s, struct table_rows *rows, struct err *err) {
    pthread_mutex_lock(&s->lock);
    int rc = grow_array(&s->waiting, s->n_waiting, sizeof(struct table_rows *), "readers", err);
    if (!rc) s->waiting[s->n_waiting++] = rows;
    if (!rc && s->stopped) table_rows_interrupt(rows);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

void table_source_leave(struct table_source *s, struct table_rows *rows) {
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_waiting; i++)
        if (s->waiting[i] == rows) s->waiting[i] = s->waiting[--s->n_waiting];
    pthread_mutex_unlock(&s->lock);
}

/* ---- life ---- */

static const char *piece_at(const void *arg, size_t i, struct hfile_view *view) {
    const struct table_source *s = arg;
    *view = (struct hfile_view){.file_bytes = s->pieces[i].sums.bytes};
    return s->pieces[i].name;
}

int table_source_open(struct table_source *s, const struct table_source_opts *o, struct err *err) {
    enum { ROW_MIN_BYTES = 2 << 20 };
    const struct address *a = &o->login->address;
    *s = (struct table_source){.o = *o, .wake = -1};
    snprintf(s->place, sizeof s->place, strchr(a->host, ':') ? "[%s]:%u/%s/%s" : "%s:%u/%s/%s", a->host, a->port, a->database,
             o->name);
    pthread_mutex_init(&s->lock, NULL);
    if (ask_table(s, err) || list_pieces(s, err) || sum_all(s, err)) return -1;
    const size_t window = o->login->row_bytes ? o->login->row_bytes : ROW_MIN_BYTES;
    s->files = (struct input_files){.n = s->n, .packed = true, .window_bytes = window, .at = piece_at, .arg = s};
    return start_watcher(s, err);
}

void table_source_input(const struct table_source *s, struct input *in) {
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct cell_sums *c = &s->pieces[i].sums;
        const uint64_t facts[] = {c->rows, c->bytes, (uint64_t)c->crc_sum, (uint64_t)(c->crc_sum >> 64), c->crc_xor};
        sum = XXH3_64bits_withSeed(s->pieces[i].name, strlen(s->pieces[i].name), XXH3_64bits_withSeed(facts, sizeof facts, sum));
    }
    *in =
        (struct input){.path = s->place, .format_name = "obkv", .files = &s->files, .file_bytes = s->bytes, .holds = HOLDS_WHOLE};
    snprintf(in->checksum, sizeof in->checksum, "%016llx", (unsigned long long)sum);
}

void table_source_close(struct table_source *s) {
    end_watcher(s);
    for (size_t i = 0; i < s->n; i++) free(s->pieces[i].name);
    free(s->pieces);
    free(s->waiting);
    table_free(&s->table);
    pthread_mutex_destroy(&s->lock);
    *s = (struct table_source){.wake = -1};
}
