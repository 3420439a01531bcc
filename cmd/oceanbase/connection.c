/* A session with a server that speaks MySQL's protocol, on libmariadb. Errors carry the server's number and text and, where
 * server_error.c knows it, what to do; LOAD DATA LOCAL may read the one file that was offered and no other. */
#include "cmd/oceanbase/connection.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/remote.h"
#include "cmd/oceanbase/statements.h"

#include <errno.h>
#include <fcntl.h>
#include <mariadb/mysql.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENT_FIRST = 2000, CLIENT_END = 3000 }; /* error numbers of the client library */
enum { CONNECT_SECONDS = 10, KEEPALIVE_IDLE_S = 60, KEEPALIVE_EVERY_S = 15, KEEPALIVE_TIMES = 4, SPELL_BYTES = 500 };

static const char charset[] = "utf8mb4";

struct connection {
    MYSQL mysql;
    char place[300]; /* HOST:PORT, for messages */
    bool open;       /* logged in */
    int fd;          /* as it was: the library may have closed it */
    unsigned error;
    char why[700]; /* of the last error */
    struct server_kind server;
    MYSQL_RES *rows;     /* of the query that is being read; NULL: none */
    const char *offered; /* file for LOAD DATA LOCAL */
    uint64_t *sent;
    struct {
        int fd, sys;
        uint64_t at; /* bytes that were read */
        char text[SPELL_BYTES];
    } local;
};

/* Numbers mean more in context: MariaDB also reports a missing privilege as 1045, a name that cannot be looked up now, or not
 * with this little memory, may be found later, and a client without memory for a socket says that the server is not there. */
static struct server_error fault_at(const struct connection *c) {
    enum { ACCESS_DENIED = 1045, LACKS_PRIVILEGE = 1227, UNKNOWN_HOST = 2005, OUT_OF_MEMORY = 2008 };
    char again[16], memory[16], socket_memory[16];
    const char *text = mysql_error((MYSQL *)(uintptr_t)&c->mysql);
    if (!c->error) return server_error_of(OUT_OF_MEMORY); /* the library fails without a reason where an allocation has failed */
    snprintf(again, sizeof again, "(%d)", EAI_AGAIN);
    snprintf(memory, sizeof memory, "(%d)", EAI_MEMORY);
    snprintf(socket_memory, sizeof socket_memory, "(%d)", ENOMEM);
    if (!c->open && c->error >= CLIENT_FIRST && c->error < CLIENT_END && strstr(text, socket_memory))
        return server_error_of(OUT_OF_MEMORY);
    if (c->error == ACCESS_DENIED && c->open) return server_error_of(LACKS_PRIVILEGE);
    if (c->error == UNKNOWN_HOST && strstr(text, memory)) return server_error_of(OUT_OF_MEMORY);
    if (c->error == UNKNOWN_HOST && strstr(text, again))
        return (struct server_error){SERVER_ERROR_RETRY, ERR_BUSY, "host names cannot be resolved at the moment"};
    return server_error_of(c->error);
}

/* Takes number and text of the library's last error into err. what: the statement's beginning, or what was tried. */
static int fail(struct connection *c, const char *what, struct err *err) {
    c->error = mysql_errno(&c->mysql);
    struct server_error f = fault_at(c);
    snprintf(c->why, sizeof c->why, "error %u: %.350s%s%s", c->error, mysql_error(&c->mysql), f.advice ? ": " : "",
             f.advice ? f.advice : "");
    return err_set(err, f.code, "%s: %.200s%s: %s", c->place, what, strlen(what) > 200 ? " …" : "", c->why);
}

static int local_open(void **at, const char *name, void *arg) {
    struct connection *c = *at = arg;
    c->local.fd = -1;
    c->local.at = 0;
    if (!c->offered || strcmp(name, c->offered)) {
        snprintf(c->local.text, sizeof c->local.text,
                 "the server asked for a file that the statement does not name: "
                 "%.300s",
                 name);
        return 1;
    }
    c->local.fd = open(c->offered, O_RDONLY | O_CLOEXEC);
    if (c->local.fd >= 0) return 0;
    snprintf(c->local.text, sizeof c->local.text, "%.300s: %s", name, strerror(errno));
    return 1;
}

static int local_read(void *at, char *p, unsigned n) {
    struct connection *c = at;
    struct err why = {0};
    ssize_t got = remote_read_next(c->local.fd, p, n, c->local.at, c->offered, &why);
    if (got < 0) snprintf(c->local.text, sizeof c->local.text, "%.490s", why.text);
    if (got > 0) c->local.at += (uint64_t)got;
    if (got > 0 && c->sent) __atomic_add_fetch(c->sent, (uint64_t)got, __ATOMIC_RELAXED);
    return (int)got;
}

static void local_close(void *at) {
    struct connection *c = at;
    fd_close(c->local.fd);
    c->local.fd = -1;
}

static int local_error(void *at, char *p, unsigned n) {
    struct connection *c = at;
    snprintf(p, n, "%s", c->local.text);
    return 2;
}

/* A host that vanishes without a word must not hold a load for ever. */
static void keep_alive(struct connection *c) {
    int fd = c->fd = (int)mysql_get_socket(&c->mysql), on = 1, idle = KEEPALIVE_IDLE_S, every = KEEPALIVE_EVERY_S,
        times = KEEPALIVE_TIMES;
    /* Without them a load waits longer: nothing is wrong. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

/* The library copies texts without a word when memory is short: what it has is read back. */
static bool holds_text(struct connection *c, enum mysql_option option, const char *text) {
    char *held = NULL;
    if (!text) return true;
    return !mysql_get_optionv(&c->mysql, option, &held) && held && !strcmp(held, text);
}

static int set_tls(struct connection *c, const struct login *l) {
    my_bool on = 1, verify = l->tls == TLS_VERIFY;
    if (l->tls == TLS_OFF) return 0;
    if (mysql_ssl_set(&c->mysql, l->tls_key, l->tls_cert, l->tls_ca, NULL, NULL)) return -1;
    if (mysql_optionsv(&c->mysql, MYSQL_OPT_SSL_ENFORCE, &on)) return -1;
    if (mysql_optionsv(&c->mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify)) return -1;
    return holds_text(c, MYSQL_OPT_SSL_KEY, l->tls_key) && holds_text(c, MYSQL_OPT_SSL_CERT, l->tls_cert) &&
                   holds_text(c, MYSQL_OPT_SSL_CA, l->tls_ca)
               ? 0
               : -1;
}

/* Sets options without one of which a connection might be open to others, or change the bytes of texts. */
static int set_options(struct connection *c, const struct login *l, struct err *err) {
    unsigned seconds = CONNECT_SECONDS, tcp = MYSQL_PROTOCOL_TCP, yes = 1;
    bool set =
        !mysql_optionsv(&c->mysql, MYSQL_OPT_CONNECT_TIMEOUT, &seconds) && !mysql_optionsv(&c->mysql, MYSQL_OPT_PROTOCOL, &tcp) &&
        !mysql_optionsv(&c->mysql, MYSQL_SET_CHARSET_NAME, charset) && !mysql_optionsv(&c->mysql, MYSQL_OPT_LOCAL_INFILE, &yes);
    if (set && l->row_bytes) set = !mysql_optionsv(&c->mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &l->row_bytes);
    if (!set || set_tls(c, l)) return fail(c, "cannot prepare a connection", err);
    mysql_set_local_infile_handler(&c->mysql, local_open, local_read, local_close, local_error, c);
    return 0;
}

static int ask_version(struct connection *c, struct err *err) {
    char *text = NULL;
    if (connection_one(c, "SELECT CONCAT(@@version_comment, ' ', VERSION())", &text, err)) return -1;
    snprintf(c->server.text, sizeof c->server.text, "%s", text ? text : "?");
    free(text);
    c->server.is_oceanbase = strstr(c->server.text, "OceanBase") != NULL;
    if (c->server.is_oceanbase && load_sql_version(c->server.text, &c->server.version))
        return err_set(err, ERR_UNSUPPORTED, "%s: the server reports no version: %s", c->place, c->server.text);
    return 0;
}

static int set_timeouts(struct connection *c, struct err *err) {
    struct buf text = {0};
    int rc = load_sql_put_session(&text, err) || buf_put_byte(&text, 0, err) ? -1 : 0;
    if (!rc) *strrchr((char *)text.p, ';') = 0;
    if (!rc) rc = connection_run(c, (char *)text.p, NULL, err);
    buf_free(&text);
    return rc;
}

struct connection *connection_open(const struct login *l, unsigned *number, struct err *err) {
    struct connection *c = calloc(1, sizeof *c);
    *number = 0;
    if (!c || !mysql_init(&c->mysql)) {
        err_nomem(err, sizeof *c, "a connection");
        free(c);
        return NULL;
    }
    snprintf(c->place, sizeof c->place, "%s:%u", l->address.host, l->address.port);
    int rc = set_options(c, l, err);
    if (!rc && !mysql_real_connect(&c->mysql, l->address.host, l->user, l->password ? l->password : "", l->address.database,
                                   l->address.port, NULL, 0))
        rc = fail(c, "cannot connect", err);
    if (c->mysql.passwd) explicit_bzero(c->mysql.passwd, strlen(c->mysql.passwd)); /* never needed again: it does not reconnect */
    if (!rc && strcmp(mysql_character_set_name(&c->mysql), charset) != 0) rc = fail(c, "cannot set the character set", err);
    c->open = !rc;
    if (!rc) keep_alive(c);
    if (!rc && l->tls != TLS_OFF && !connection_cipher(c))
        rc = err_set(err, ERR_USAGE, "%s: the server does not offer encryption, which --tls requires", c->place);
    if (!rc) rc = connection_run(c, "SET SESSION sql_mode = 'STRICT_ALL_TABLES'", NULL, err);
    if (!rc) rc = ask_version(c, err);
    if (!rc && c->server.is_oceanbase) rc = set_timeouts(c, err);
    if (!rc) return c;
    *number = c->error;
    connection_close(c);
    return NULL;
}

void connection_interrupt(struct connection *c) {
    (void)shutdown(c->fd, SHUT_RDWR); /* fails where it is closed already */
}

/* Rows that nobody wants any more are not waited for. A lost connection was closed by the library, and its descriptor may be that
 * of another one by now. */
static void abandon_rows(struct connection *c) {
    if (!c->rows) return;
    if ((int)mysql_get_socket(&c->mysql) == c->fd) connection_interrupt(c);
    mysql_free_result(c->rows);
    c->rows = NULL;
}

void connection_close(struct connection *c) {
    if (!c) return;
    abandon_rows(c);
    mysql_close(&c->mysql);
    free(c);
}

void connection_thread_end(void) {
    mysql_thread_end();
}

/* Reads and drops what a statement gave, so that the next one can follow. */
static int drop_result(struct connection *c) {
    MYSQL_RES *r = mysql_use_result(&c->mysql);
    while (r && mysql_fetch_row(r)) {
    }
    int rc = mysql_errno(&c->mysql) ? -1 : 0;
    if (r) mysql_free_result(r);
    return rc;
}

int connection_run(struct connection *c, const char *sql, uint64_t *affected, struct err *err) {
    c->error = 0;
    if (mysql_real_query(&c->mysql, sql, strlen(sql))) return fail(c, sql, err);
    uint64_t n = mysql_field_count(&c->mysql) ? 0 : mysql_affected_rows(&c->mysql);
    if (affected) *affected = n;
    return drop_result(c) ? fail(c, sql, err) : 0;
}

int connection_query(struct connection *c, const char *sql, struct err *err) {
    c->error = 0;
    if (mysql_real_query(&c->mysql, sql, strlen(sql))) return fail(c, sql, err);
    c->rows = mysql_use_result(&c->mysql);
    return !c->rows && mysql_errno(&c->mysql) ? fail(c, sql, err) : 0;
}

int connection_next(struct connection *c, struct bytes *fields, unsigned n, struct err *err) {
    MYSQL_ROW values = c->rows ? mysql_fetch_row(c->rows) : NULL;
    if (!values) {
        const int rc = c->rows && mysql_errno(&c->mysql) ? fail(c, "reading rows", err) : 0;
        if (c->rows) mysql_free_result(c->rows);
        c->rows = NULL;
        return rc;
    }
    const unsigned long *lengths = mysql_fetch_lengths(c->rows);
    const unsigned have = mysql_num_fields(c->rows);
    for (unsigned i = 0; i < n; i++)
        fields[i] = i < have ? (struct bytes){(uint8_t *)values[i], values[i] ? lengths[i] : 0} : (struct bytes){0};
    return 1;
}

int connection_rows(struct connection *c, const char *sql, connection_row *row, void *arg, struct err *err) {
    struct bytes fields[64];
    int more, rc = 0;
    if (connection_query(c, sql, err)) return -1;
    const unsigned has = c->rows ? mysql_num_fields(c->rows) : 0, n = has < countof(fields) ? has : countof(fields);
    while ((more = connection_next(c, fields, n, err)) > 0)
        if (!rc) rc = row(arg, fields, n, err);
    return rc ? rc : more;
}

static int take_first(void *arg, const struct bytes *fields, unsigned n, struct err *err) {
    char **out = arg;
    if (*out || !n || !fields[0].p) return 0;
    *out = malloc(fields[0].n + 1);
    if (!*out) return err_nomem(err, fields[0].n, "a field");
    memcpy(*out, fields[0].p, fields[0].n);
    (*out)[fields[0].n] = 0;
    return 0;
}

int connection_one(struct connection *c, const char *sql, char **out, struct err *err) {
    *out = NULL;
    return connection_rows(c, sql, take_first, out, err);
}

void connection_offer(struct connection *c, const char *path, uint64_t *sent) {
    c->offered = path;
    c->sent = sent;
}

const char *connection_why(const struct connection *c) {
    return c->error ? c->why : "";
}

unsigned connection_error(const struct connection *c) {
    return c->error;
}

bool connection_refused(const struct connection *c) {
    const bool of_client = c->error >= CLIENT_FIRST && c->error < CLIENT_END;
    return c->error && !of_client && server_error_of(c->error).action == SERVER_ERROR_STOP;
}

uint64_t connection_id(const struct connection *c) {
    return mysql_thread_id((MYSQL *)(uintptr_t)&c->mysql);
}

const char *connection_cipher(const struct connection *c) {
    return mysql_get_ssl_cipher((MYSQL *)(uintptr_t)&c->mysql);
}

const struct server_kind *connection_server(const struct connection *c) {
    return &c->server;
}

int connection_kill(struct connection *c, uint64_t id, struct err *err) {
    enum { NO_SUCH_THREAD = 1094 };
    char sql[64];
    struct err own = {0};
    snprintf(sql, sizeof sql, "KILL QUERY %llu", (unsigned long long)id);
    if (!connection_run(c, sql, NULL, &own) || c->error == NO_SUCH_THREAD) return 0;
    err_keep(err, &own);
    return -1;
}

const char *connection_client(void) {
    return "MariaDB Connector/C " MARIADB_PACKAGE_VERSION;
}
