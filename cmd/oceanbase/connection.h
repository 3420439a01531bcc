/* A session with a database server that speaks MySQL's protocol (libmariadb). One thread at a time; connection_kill is how
 * another one ends what it is doing. Errors name the server, its error number and text. */
#ifndef CMD_OCEANBASE_CONNECTION_H
#define CMD_OCEANBASE_CONNECTION_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/secret.h"

struct connection;

/* ---- where a database is and how to log in: --target HOST:PORT/DATABASE, --user, --password-file and --tls ---- */

struct address {
    char host[256];
    unsigned port;
    char database[129]; /* as written: names in databases are at most 64 characters */
};

enum tls_mode {
    TLS_OFF,
    TLS_REQUIRE, /* encrypted; the server is not authenticated */
    TLS_VERIFY   /* encrypted, certificate and host name checked */
};

/* Strings are borrowed; NULL = none. */
struct login {
    struct address address;
    const char *user, *password;
    enum tls_mode tls;
    const char *tls_ca, *tls_cert, *tls_key;
    unsigned long row_bytes; /* longer rows are refused; 0: as the library has it */
};

struct target_login {
    struct login login;
    char *password;
    struct secret_hold hold;
};

/* Connects, and sets what every session of ours needs: strict SQL, binary results, and OceanBase's time limit for a statement (it
 * ends a load after 10 seconds otherwise). *number: as connection_error, of what failed. */
struct connection *connection_open(const struct login *l, unsigned *number, struct err *err);
void connection_close(struct connection *c);
/* From another thread: what waits for the server fails, and the connection can only be closed. */
void connection_interrupt(struct connection *c);
const char *connection_client(void); /* name and version of the library */
/* Frees what the client library keeps for a thread, before one ends that had connections. */
void connection_thread_end(void);

/* A statement without rows. affected may be NULL. */
int connection_run(struct connection *c, const char *sql, uint64_t *affected, struct err *err);
/* Called for each row; a field with p NULL is NULL. Valid until it returns. -1 ends the query. */
typedef int connection_row(void *arg, const struct bytes *fields, unsigned n, struct err *err);
int connection_rows(struct connection *c, const char *sql, connection_row *row, void *arg, struct err *err);
/* Reads rows one after the other: a query, then its rows up to the last. No other statement may come before that; the connection
 * may be closed. */
int connection_query(struct connection *c, const char *sql, struct err *err);
/* 1 = fields[n] are those of the next row, valid until the next call; a field with p NULL is NULL. 0 = there is none, -1. */
int connection_next(struct connection *c, struct bytes *fields, unsigned n, struct err *err);
/* The first field of the first row as a fresh string; *out stays NULL if there is no row or the field is NULL. */
int connection_one(struct connection *c, const char *sql, char **out, struct err *err);

/* LOAD DATA LOCAL: the only file the server may ask for; *sent (may be NULL) counts its bytes. path NULL = none. */
void connection_offer(struct connection *c, const char *path, uint64_t *sent);

/* Number and text of the last error, and what to do, without the statement; "" = none. */
const char *connection_why(const struct connection *c);
/* Number of the last error of the server or the library; 0 = the failure was another one (memory, a row callback). */
unsigned connection_error(const struct connection *c);
/* The server answered the last statement that it will not: it lacks the function or table, or the user a right. false also where
 * another try may succeed, or nothing failed. */
bool connection_refused(const struct connection *c);
/* The server's number for this session. */
uint64_t connection_id(const struct connection *c);
const char *connection_cipher(const struct connection *c); /* NULL = not encrypted */
/* Ends the statement of session `id`, not the session, from another thread's own connection. One that has ended is fine. */
int connection_kill(struct connection *c, uint64_t id, struct err *err);

/* The kind of a server, as it reports it. */
struct server_kind {
    bool is_oceanbase;
    uint32_t version; /* LOAD_VERSION of an OceanBase; 0 = another one */
    char text[200];
};
const struct server_kind *connection_server(const struct connection *c);

/* ---- server_error.c: what an error number means for a load ---- */

enum { SERVER_DUPLICATE_KEY = 1062 };

enum server_error_action {
    SERVER_ERROR_STOP,    /* trying again would not help */
    SERVER_ERROR_RETRY,   /* the statement did nothing and may do better later */
    SERVER_ERROR_UNKNOWN, /* the connection or the server went away: the statement may have worked or not */
    SERVER_ERROR_KILLED   /* someone (perhaps this program) ended the statement */
};

struct server_error {
    enum server_error_action action;
    enum err_code code; /* for the exit code, when it stays */
    const char *advice; /* what to do; NULL = the server's text says it all */
};

struct server_error server_error_of(unsigned number);

#endif
