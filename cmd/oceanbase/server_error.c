/* Decides what an error number of the server or of the client library means for a load: try again, find out what happened, or
 * stop, and what to do then. Numbers below 4000 are those of MySQL and MariaDB (2000 and above: of the client), the others are
 * OceanBase's own. */
#include "cmd/oceanbase/connection.h"

#include <stddef.h>

#define ADVICE_GRANT \
    "the user lacks a privilege: obkv-load needs SELECT, INSERT and FILE, --create also CREATE ON *.*, obkv-verify only SELECT"
#define ADVICE_FILE "the server cannot read the file; check secure_file_priv and its permissions, or send it with --via local"
#define ADVICE_SHAPE "the table changed since the export; export again for the present table"
#define ADVICE_DISK "the target has no space left; free space there, then run the same command again"
#define ADVICE_AWAY "check that the server is running, and that host and port are right"
#define ADVICE_LOST "check that the server is running, then run the same command again: obkv-load resumes"
#define ADVICE_HERE "this machine is short of memory or open files; raise the limits of the program, or give fewer --jobs"

/* Sources: share/errmsg of MySQL and MariaDB, OceanBase's error code page; those marked * were met on OceanBase 4.3.5.3. */
static const struct {
    unsigned number;
    struct server_error fault;
} faults[] = {
    {2002, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_AWAY}}, /* cannot connect (* also while it starts) */
    {2003, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_AWAY}},
    {2001, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_HERE}}, /* no socket can be made */
    {2004, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_HERE}},
    {2008, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_HERE}}, /* out of memory, while it sends, receives */
    {2005, {SERVER_ERROR_STOP, ERR_USAGE, "no such host"}},
    {2006, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_LOST}}, /* gone away */
    {2012, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_AWAY}}, /* handshake */
    {2013, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_LOST}}, /* lost in a query */
    {2020, {SERVER_ERROR_STOP, ERR_LIMIT, "a row is longer than --memory has room for; give more"}},
    {2026, {SERVER_ERROR_STOP, ERR_USAGE, "see --tls, --tls-ca, --tls-cert and --tls-key"}},
    {2055, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_LOST}},
    {1040, {SERVER_ERROR_RETRY, ERR_BUSY, "the server has too many connections"}},
    {1203, {SERVER_ERROR_RETRY, ERR_BUSY, "the user has too many connections"}},
    {1226, {SERVER_ERROR_RETRY, ERR_BUSY, "the user has too many connections, or too many of an hour"}},
    {1205, {SERVER_ERROR_RETRY, ERR_BUSY, "another session holds a lock on the table"}},
    {1213, {SERVER_ERROR_RETRY, ERR_BUSY, "another session writes the same rows"}},
    {1053, {SERVER_ERROR_UNKNOWN, ERR_BUSY, ADVICE_LOST}}, /* server shutdown */
    {1927, {SERVER_ERROR_UNKNOWN, ERR_BUSY, "the session was killed in the server"}},
    {5066, {SERVER_ERROR_UNKNOWN, ERR_BUSY, "the session was killed in the server"}}, /* * */
    {1317, {SERVER_ERROR_KILLED, ERR_BUSY, "the statement was killed in the server"}},
    {1045, {SERVER_ERROR_STOP, ERR_USAGE, "wrong user or password; see --user and --password-file"}},
    {1044, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_GRANT}},
    {1142, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_GRANT}},
    {1227, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_GRANT}},
    {1049, {SERVER_ERROR_STOP, ERR_USAGE, "the database does not exist"}},
    {1146, {SERVER_ERROR_STOP, ERR_USAGE, "the table does not exist; create it with --create"}},
    {1735, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_SHAPE}},  /* * unknown partition */
    {1526, {SERVER_ERROR_STOP, ERR_OUTPUT, ADVICE_SHAPE}}, /* * a row of another partition */
    {1748, {SERVER_ERROR_STOP, ERR_OUTPUT, ADVICE_SHAPE}}, /* the same in MariaDB */
    {1054, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_SHAPE}},  /* unknown column */
    {1406, {SERVER_ERROR_STOP, ERR_OUTPUT, ADVICE_SHAPE}}, /* too long for its column */
    {SERVER_DUPLICATE_KEY,
     {SERVER_ERROR_STOP, ERR_OUTPUT, "rows of the file already exist; see --on-duplicate, or empty the table"}}, /* * */
    {1290,
     {SERVER_ERROR_STOP, ERR_USAGE,
      "the option that the server names forbids it: a read-only server takes no load; within secure_file_priv it reads files "
      "only "
      "there, so put the export there, or send it with --via local"}},
    {1017, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_FILE}}, /* * file not found */
    {13, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_FILE}},
    {29, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_FILE}},
    {1148,
     {SERVER_ERROR_STOP, ERR_USAGE,
      "the server refuses LOAD DATA LOCAL; set its local_infile, or let it read the files with --via server"}},
    {4166,
     {SERVER_ERROR_STOP, ERR_USAGE,
      "the server refuses LOAD DATA LOCAL; set its local_infile, or let it read the files with --via server"}},
    {1021, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_DISK}},
    {1114, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_DISK}},
    {4138,
     {SERVER_ERROR_STOP, ERR_BUSY,
      "the server no longer keeps the moment that is read; raise undo_retention of the tenant above the time that reading takes, "
      "then run the same command again"}},               /* OceanBase: snapshot discarded */
    {4184, {SERVER_ERROR_STOP, ERR_LIMIT, ADVICE_DISK}}, /* OceanBase: out of disk space */
    {4012, {SERVER_ERROR_UNKNOWN, ERR_BUSY, "the statement timed out in the server; see ob_query_timeout"}},
    {4013, {SERVER_ERROR_RETRY, ERR_LIMIT, "the target is short of memory; give fewer --jobs, or raise its memory_limit"}},
    {4030, {SERVER_ERROR_RETRY, ERR_LIMIT, "the target is short of memory; give fewer --jobs, or raise its memory_limit"}},
    {4023, {SERVER_ERROR_RETRY, ERR_BUSY, "the target asks for a retry"}},
    {4038, {SERVER_ERROR_UNKNOWN, ERR_BUSY, "the target's leader moved"}},
    {4225, {SERVER_ERROR_RETRY, ERR_BUSY, "the target's partition has no leader now"}},
    {4654, {SERVER_ERROR_RETRY, ERR_BUSY, "the target's partition has no leader now"}},
    {4383, {SERVER_ERROR_RETRY, ERR_BUSY, "the target has just started"}}, /* * no transaction ids yet */
    {4105, {SERVER_ERROR_STOP, ERR_OUTPUT, "the file is not in the order in which it was written; export again"}}, /* * */
    {5024, {SERVER_ERROR_STOP, ERR_USAGE, ADVICE_SHAPE}},
    {5307, {SERVER_ERROR_RETRY, ERR_BUSY, "the target has no threads free for a parallel statement"}}, /* * just started, too */
    {5627, {SERVER_ERROR_RETRY, ERR_BUSY, "the target's schema is being changed"}},
    {6002, {SERVER_ERROR_RETRY, ERR_BUSY, "the target rolled the statement back"}},
    {6005, {SERVER_ERROR_RETRY, ERR_BUSY, "another session writes the same rows"}},
    {6224, {SERVER_ERROR_RETRY, ERR_BUSY, "the target rolled the statement back"}},
    {8001, {SERVER_ERROR_RETRY, ERR_BUSY, "the target is still starting"}}, /* * to a session that connects meanwhile */
    {8002, {SERVER_ERROR_UNKNOWN, ERR_BUSY, "the target is stopping"}},
};

struct server_error server_error_of(unsigned number) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].number == number) return faults[i].fault;
    return (struct server_error){SERVER_ERROR_STOP, ERR_OUTPUT, NULL};
}
