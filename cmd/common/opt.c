#include "cmd/common/opt.h"

#include "cmd/common/opt_help.h"
#include "cmd/common/opt_rows.h"
#include "cmd/common/opt_value.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char obkv_version[] = "1.0.0";

static int add_side(unsigned side, const char *arg, struct options *o, struct err *err) {
    if (o->n_side[side] == OPT_SIDE_MAX) return err_set(err, ERR_USAGE, "--%c is given too often", side ? 'b' : 'a');
    o->side[side][o->n_side[side]++] = arg;
    return 0;
}

static int add_try(const char *arg, struct options *o, struct err *err) {
    if (o->n_tries == TRIES_MAX) return err_set(err, ERR_USAGE, "--try is given too often");
    o->tries[o->n_tries++] = arg;
    return 0;
}

static int add_setting(const char *arg, struct options *o, struct err *err) {
    if (o->n_settings == SETTINGS_MAX) return err_set(err, ERR_USAGE, "--set is given too often");
    o->settings[o->n_settings++] = arg;
    return 0;
}

bool opt_given(const struct options *o, const char *name) {
    for (size_t i = 0; i < opt_n_rows; i++)
        if (o->seen[i] && !strcmp(opt_rows[i].name, name)) return true;
    return false;
}

static int set_option(const struct opt_row *r, const char *arg, struct options *o, struct err *err) {
    uint8_t *field = (uint8_t *)o + r->at;
    int rc = 0;
    o->seen[r - opt_rows] = true;
    switch (r->kind) {
    case FLAG: *(bool *)(void *)field = true; break;
    case TEXT: *(const char **)(void *)field = arg; break;
    case TRY: return add_try(arg, o, err);
    case SETTING: return add_setting(arg, o, err);
    case SIZE: rc = opt_size(arg, (uint64_t *)(void *)field); break;
    case COUNT: rc = opt_size(arg, (uint64_t *)(void *)field); break;
    case TIME: rc = opt_time(arg, (int64_t *)(void *)field); break;
    case BYTE: rc = opt_byte(arg, (int *)(void *)field); break;
    case SIDE_A:
    case SIDE_B: return add_side(r->kind == SIDE_B, arg, o, err);
    case QUOTE: rc = strcmp(arg, "none") ? opt_byte(arg, (int *)(void *)field) : (*(int *)(void *)field = -2, 0); break;
    case HELP:
    case VERSION: break;
    }
    if (r->given) *(bool *)(void *)((uint8_t *)o + r->given) = true;
    return rc ? err_set(err, ERR_USAGE, "--%s '%s': %s is expected", r->name, arg,
                        r->kind == SIZE    ? "a size like 512M"
                        : r->kind == COUNT ? "a number"
                        : r->kind == TIME  ? "ms since 1970 or an RFC 3339 time"
                                           : "one byte")
              : 0;
}

/* What a side may have for itself. */
static const struct opt_row *side_row(const char *name, size_t n) {
    static const char *const names[] = {"format",    "snapshot", "columns", "map",        "header",
                                        "delimiter", "quote",    "null",    "skip-empty", "timestamp"};
    for (size_t i = 0; i < countof(names); i++) {
        if (strlen(names[i]) != n || strncmp(names[i], name, n)) continue;
        for (size_t k = 0; k < opt_n_rows; k++)
            if (!strcmp(opt_rows[k].name, names[i])) return &opt_rows[k];
    }
    return NULL;
}

int opt_side(const struct tool_about *about, const struct options *o, unsigned side, struct options *out, struct err *err) {
    char letter = side ? 'b' : 'a';
    *out = *o;
    for (unsigned i = 0; i < o->n_side[side]; i++) {
        const char *given = o->side[side][i], *eq = strchr(given, '=');
        const struct opt_row *r = side_row(given, eq ? (size_t)(eq - given) : strlen(given));
        if (!r)
            return err_set(err, ERR_USAGE, "--%c '%s': not an option that one side can have (see %s --help)", letter, given,
                           about->name);
        if (!r->arg != !eq)
            return err_set(err, ERR_USAGE, "--%c %s %s", letter, r->name, eq ? "takes no value" : "needs a value: NAME=VALUE");
        if (set_option(r, eq ? eq + 1 : NULL, out, err)) return err_prefix(err, "--%c", letter);
    }
    return 0;
}

static void defaults(struct options *o) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct options){.delimiter = -1,
                          .quote = -1,
                          .keep_seq = "yes",
                          .target_file_size = UINT64_C(4) << 30,
                          .max_rejects = "0",
                          .on_damage = "fail",
                          .memory = UINT64_C(1) << 30,
                          .threads = cpus > 0 ? (uint64_t)cpus : 1,
                          .progress = "auto",
                          .rank = "position",
                          .nodes = 3,
                          .max_partition = UINT64_C(100) << 30,
                          .top = 10,
                          .counts = "23,59,97,193,389,997",
                          .plan_sample = UINT64_MAX,
                          .years = 3,
                          .take = 1,
                          .seed = 1,
                          .interval = 1000,
                          .cell_bytes = 100,
                          .compress = "none",
                          .on_duplicate = "error",
                          .target_version = "4.3.5.3",
                          .user = "root",
                          .tls = "off",
                          .via = "auto",
                          .jobs = 4,
                          .retries = 5};
}

/* What getopt is to know: the options of a tool, or of one of its commands. */
struct grammar {
    const struct tool_about *about;
    const struct tool_command *command; /* NULL: all of the tool's */
    unsigned bits;
    struct option longs[OPT_ROWS_MAX + 1];
    char letters[3 * OPT_ROWS_MAX + 2];
};

static bool has_name(const struct option *longs, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(longs[i].name, name)) return true;
    return false;
}

static void grammar_make(struct grammar *g, const struct tool_about *about, const struct tool_command *command) {
    size_t n = 0, k = 0;
    *g = (struct grammar){.about = about, .command = command, .bits = command ? command->bit : about->tool};
    g->letters[k++] = ':';
    for (size_t i = 0; i < opt_n_rows; i++) {
        if (!(opt_rows[i].tools & g->bits) || has_name(g->longs, n, opt_rows[i].name)) continue;
        g->longs[n++] =
            (struct option){opt_rows[i].name, opt_rows[i].arg ? required_argument : no_argument, NULL, (int)(1000 + i)};
        if (!opt_rows[i].letter) continue;
        g->letters[k++] = opt_rows[i].letter;
        if (opt_rows[i].arg) g->letters[k++] = ':';
    }
}

static const struct opt_row *row_of(const struct grammar *g, int c) {
    if (c >= 1000) return &opt_rows[c - 1000];
    for (size_t i = 0; i < opt_n_rows; i++)
        if (opt_rows[i].letter == c && (opt_rows[i].tools & g->bits)) return &opt_rows[i];
    return NULL;
}

/* How many options `arg` (as typed) abbreviates. */
static unsigned abbreviated(const struct grammar *g, const char *arg) {
    unsigned n = 0;
    size_t len = strncmp(arg, "--", 2) ? 0 : strcspn(arg + 2, "=");
    for (const struct option *o = g->longs; len && o->name; o++) n += !strncmp(o->name, arg + 2, len);
    return n;
}

/* getopt says little: optopt is a letter, a row's number, or 0 for a long option it does not know. */
static int refuse(const struct grammar *g, int c, const char *arg, struct err *err) {
    const struct opt_row *r = optopt ? row_of(g, optopt) : NULL;
    const char *tool = g->about->name, *of = g->command ? " of " : "", *command = g->command ? g->command->name : "";
    const char *what = c == ':' ? "needs an argument"
                       : r      ? "takes no argument"
                                : "is not an option",
               *space = *command ? " " : "";
    if (!optopt && abbreviated(g, arg) > 1) what = "is ambiguous", of = "";
    if (r) return err_set(err, ERR_USAGE, "--%s %s (see %s%s%s --help)", r->name, what, tool, space, command);
    const char letter[] = {'-', (char)optopt, 0};
    return err_set(err, ERR_USAGE, "%s %s%s%s (see %s%s%s --help)", optopt ? letter : arg, what, of, *of ? command : "", tool,
                   space, command);
}

/* The names of all commands, for messages. */
static int refuse_command(const struct tool_about *about, const char *given, struct err *err) {
    char names[160];
    size_t n = 0;
    for (const struct tool_command *c = about->commands; c->name; c++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              c == about->commands ? ""
                              : c[1].name          ? ", "
                                                   : " or ",
                              c->name);
    if (!given) return err_set(err, ERR_USAGE, "no command given: %s (see %s --help)", names, about->name);
    return err_set(err, ERR_USAGE, "'%s' is not a command: %s (see %s --help)", given, names, about->name);
}

static const struct tool_command *command_named(const struct tool_about *about, const char *name) {
    for (const struct tool_command *c = about->commands; c && name && c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

/* A first walk: sorts the arguments (options before others, as getopt does) and finds --help, --version and the command. */
static int find_command(const struct tool_about *about, int argc, char **argv, const struct tool_command **out,
                        enum opt_result *result, struct err *err) {
    struct grammar g;
    enum opt_kind asked = FLAG;
    grammar_make(&g, about, NULL);
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse(&g, c, argv[optind - 1], err);
        enum opt_kind kind = row_of(&g, c)->kind;
        if (asked == FLAG && (kind == HELP || kind == VERSION)) asked = kind;
    }
    *out = command_named(about, argv[optind]);
    *result = asked == FLAG ? OPT_RUN : OPT_DONE;
    if (asked == HELP) opt_help(about, *out);
    if (asked == VERSION) printf("%s %s\n", about->name, obkv_version);
    if (*result == OPT_DONE || !about->commands || *out) return 0;
    return refuse_command(about, argv[optind], err);
}

int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result,
              struct err *err) {
    struct grammar g;
    defaults(o);
    if (find_command(about, argc, argv, &o->command, result, err)) return -1;
    if (*result == OPT_DONE) return 0;
    grammar_make(&g, about, o->command);
    optind = 0; /* from the beginning */
    for (int c; (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse(&g, c, argv[optind - 1], err);
        if (set_option(row_of(&g, c), optarg, o, err)) return -1;
    }
    o->inputs = argv + optind + (o->command != NULL);
    o->n_inputs = argc - optind - (o->command != NULL);
    if (o->command && !o->n_inputs && !o->command->may_have_no_input)
        return err_set(err, ERR_USAGE, "%s: no input given (see %s %s --help)", o->command->name, about->name, o->command->name);
    if (!o->threads || o->threads > 256) return err_set(err, ERR_USAGE, "--threads must lie between 1 and 256");
    return 0;
}
