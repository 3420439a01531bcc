/* Answers options of other tools: who comes from HBase's ImportTsv, from OceanBase's obloader and obdumper, or from the mysql
 * client types their names, and reads what to type here. Only options that no program has are looked for, so a name of ours is
 * never taken for one of theirs. */
#include "cmd/common/opt_peers.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

/* % in `here`: the value of the option, else `value`. Names that end in = have it in the same word; others also as the
 * next word. */
static const struct {
    const char *name, *here, *value;
} peers[] = {
    /* ImportTsv, and Hadoop's -D */
    {"-Dimporttsv.columns=", "--columns %", NULL},
    {"-Dimporttsv.separator=", "-d '%'", NULL},
    {"-Dimporttsv.bulk.output=", "-o %", NULL},
    {"-Dimporttsv.timestamp=", "--timestamp %", NULL},
    {"-Dimporttsv.skip.bad.lines=", "--max-rejects 1%%, which keeps bad lines with their reasons", NULL},
    {"-Dimporttsv.skip.empty.columns=", "--skip-empty", NULL},
    {"-Dimporttsv.mapper.class=", "--map FILE, or --key EXPRESSION for the row key", NULL},
    {"-Dimporttsv.", "--columns, --map or --dialect (docs/formats/csv.md)", NULL},
    {"-Dhbase.", "--set NAME=VALUE for what is known of it (--help all)", NULL},
    {"--separator", "-d '%'", "BYTES"},
    /* obloader, obdumper */
    {"--csv", "--format csv", NULL},
    {"--column-separator", "-d '%'", "BYTES"},
    {"--column-delimiter", "--quote '%'", "BYTE"},
    {"--escape-character", "--dialect csv,escape=%", "BYTE"},
    {"--null-string", "--null '%'", "TEXT"},
    {"--skip-header", "--header", NULL},
    {"--ctl-path", "--map FILE (docs/mapping.md)", NULL},
    {"--thread", "--threads %", "N"},
    {"--max-errors", "--max-rejects %", "N"},
    {"--max-discards", "--max-rejects %", "N"},
    {"--external-data", "the paths of the inputs: any file will do", NULL},
    {"--file-path", "% as an input, without an option", "PATH"},
    {"--replace-data", "--on-duplicate replace (obkv-export)", NULL},
    {"--host", "--target %:PORT/DATABASE", "HOST"},
    {"--port", "--target HOST:%/DATABASE", "PORT"},
    {"--database", "--target HOST:PORT/%", "DATABASE"},
    {"--tenant", "--user USER@%", "TENANT"},
    {"--password", "--password-file FILE, so that no list of processes shows it", NULL},
    /* the mysql client, and obloader's letters */
    {"-P", "--target HOST:%/DATABASE", "PORT"},
    {"-D", "--target HOST:PORT/%", "DATABASE"},
    {"-u", "--user %", "USER@TENANT"},
    {"-t", "--user USER@%", "TENANT"},
    {"-p", "--password-file FILE, so that no list of processes shows it", NULL},
};

const char *opt_peers_fill(const char *form, const char *value, char *out, size_t bytes) {
    size_t n = 0;
    for (; *form && n + 1 < bytes; form++) {
        const bool is_value = *form == '%' && form[1] != '%';
        if (is_value)
            n += (size_t)snprintf(out + n, bytes - n, "%s", value);
        else
            out[n++] = *form;
        form += *form == '%' && form[1] == '%';
    }
    out[n < bytes ? n : bytes - 1] = 0;
    return out;
}

/* Returns where the value of the option begins in the word, NULL: this is another option. "" if none stands there. */
static const char *value_in(const char *name, const char *word) {
    const size_t n = strlen(name);
    if (strncmp(word, name, n) != 0) return NULL;
    if (name[n - 1] == '=' || name[n - 1] == '.') return word + n;
    if (name[1] != '-') return word + n;
    return !word[n] || word[n] == '=' ? word + n + (word[n] == '=') : NULL;
}

const char *opt_peers(const char *word, const char *next, char out[OPT_PEERS_BYTES]) {
    for (size_t i = 0; i < countof(peers); i++) {
        const char *value = value_in(peers[i].name, word);
        if (!value) continue;
        if (!*value) value = next && *next != '-' && peers[i].value ? next : peers[i].value ? peers[i].value : "";
        return opt_peers_fill(peers[i].here, value, out, OPT_PEERS_BYTES);
    }
    return NULL;
}
