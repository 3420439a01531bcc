/* Reads the command line by the groups of options that a program or its command lists. The same rows become --help
 * (opt_help.c) and the completion of shells (opt_completion.c).
 *
 * getopt_long does the reading. It walks the arguments twice: first with all options of the tool, to find --help, --version and
 * the command wherever they are, then with those of the command alone, so that an option of another command is refused. */
#include "cmd/common/opt.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/opt_help.h"
#include "cmd/common/opt_peers.h"
#include "cmd/common/opt_programs.h"
#include "cmd/common/opt_views.h"

#include "base/near_name.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- getopt ---- */

/* Options that getopt is to know: those of a tool, or of one of its commands. */
struct grammar {
    const struct tool_about *about;
    const struct tool_command *command; /* NULL: all of the tool's */
    struct opt_found rows[OPT_ROWS_MAX];
    size_t n;
    struct option longs[OPT_ROWS_MAX + 1];
    char letters[2 * OPT_ROWS_MAX + 2];
};

enum { FIRST_LONG = 1000 };

static bool has_name(const struct grammar *g, const char *name) {
    for (size_t i = 0; i < g->n; i++)
        if (!strcmp(g->longs[i].name, name)) return true;
    return false;
}

static void grammar_add(struct grammar *g, const struct opt_group *const *groups) {
    for (; groups && *groups; groups++)
        for (size_t i = 0; i < (*groups)->n; i++) {
            const struct opt_row *r = &(*groups)->rows[i];
            if ((*groups)->under || g->n == OPT_ROWS_MAX || has_name(g, r->name)) continue;
            g->rows[g->n] = (struct opt_found){*groups, r};
            g->longs[g->n] = (struct option){r->name, r->arg ? required_argument : no_argument, NULL, (int)(FIRST_LONG + g->n)};
            g->n++;
        }
}

static void grammar_make(struct grammar *g, const struct tool_about *about, const struct tool_command *command) {
    *g = (struct grammar){.about = about, .command = command};
    grammar_add(g, command ? command->groups : about->groups);
    for (const struct tool_command *c = command ? NULL : about->commands; c && c->name; c++) grammar_add(g, c->groups);
    size_t k = 0;
    g->letters[k++] = ':';
    for (size_t i = 0; i < g->n; i++) {
        if (!g->rows[i].row->letter) continue;
        g->letters[k++] = g->rows[i].row->letter;
        if (g->rows[i].row->arg) g->letters[k++] = ':';
    }
}

static struct opt_found row_of(const struct grammar *g, int c) {
    if (c >= FIRST_LONG) return g->rows[c - FIRST_LONG];
    for (size_t i = 0; i < g->n; i++)
        if (g->rows[i].row->letter == c) return g->rows[i];
    return (struct opt_found){0};
}

/* Returns how many options `arg` (as typed) abbreviates. */
static unsigned abbreviated(const struct grammar *g, const char *arg) {
    unsigned n = 0;
    size_t len = strncmp(arg, "--", 2) ? 0 : strcspn(arg + 2, "=");
    for (const struct option *o = g->longs; len && o->name; o++) n += !strncmp(o->name, arg + 2, len);
    return n;
}

/* The option that an unknown "--NAME" resembles. */
static const char *meant_option(const struct grammar *g, const char *arg, char out[NEAR_NAME_MAX + 48]) {
    struct near_name near = near_name_to(bytes_of(arg + 2, strcspn(arg + 2, "=")));
    for (const struct option *o = g->longs; o->name; o++) near_name_offer(&near, bytes_str(o->name));
    return near_name_text(&near, "--", out);
}

/* --shard divides inputs; everything that follows is divided by partitions. */
static bool means_share(const struct grammar *g, const char *arg) {
    size_t n = strcspn(arg, "=");
    bool shard = (n == strlen("--shard") || n == strlen("--shards")) && !strncmp(arg, "--shards", n);
    for (const struct option *o = g->longs; shard && o->name; o++)
        if (!strcmp(o->name, "partitions")) return true;
    return false;
}

/* Returns what an old name is called now, among the options of the command, or of any command; NULL: it is no old name. */
static const char *renamed_in(const struct grammar *g, const char *name, const char *value, char out[OPT_RENAMED_BYTES]) {
    const char *now = NULL;
    if (g->command) return opt_renamed(g->command->groups, name, value, out);
    if (g->about->groups) return opt_renamed(g->about->groups, name, value, out);
    for (const struct tool_command *c = g->about->commands; !now && c && c->name; c++)
        now = opt_renamed(c->groups, name, value, out);
    return now;
}

/* An option of an earlier version: what it is now. next: the argument after it, or NULL. */
static int refuse_renamed(const struct grammar *g, const char *arg, const char *next, struct err *err) {
    char name[NEAR_NAME_MAX + 1], text[OPT_RENAMED_BYTES];
    const size_t dashes = strspn(arg, "-"), n = dashes == 1 ? 1 : strcspn(arg + dashes, "=");
    if (n > NEAR_NAME_MAX) return 0;
    snprintf(name, sizeof name, "%.*s", (int)n, arg + dashes);
    const char *value = arg[dashes + n] == '=' ? arg + dashes + n + 1 : next && *next != '-' ? next : NULL;
    const char *now = renamed_in(g, name, value, text);
    return now ? err_set(err, ERR_USAGE, "%.*s is no option of %s any more: %s", (int)(dashes + n), arg, g->about->name, now) : 0;
}

/* An option of another tool that people have used. c: the letter that getopt has found, 0: a long one. */
static int refuse_peers(const struct grammar *g, int c, char *const *argv, struct err *err) {
    char text[OPT_PEERS_BYTES];
    const bool inside = c && argv[optind] && argv[optind][0] == '-' && argv[optind][1] == c; /* getopt has not ended this word */
    const char *word = argv[inside ? optind : optind - 1], *next = argv[inside ? optind + 1 : optind];
    const char *here = opt_peers(word, inside && !argv[optind] ? NULL : next, text);
    if (!here || (c && word[1] != c)) return 0;
    return err_set(err, ERR_USAGE, "%.*s is an option of other tools; here it is %s (see %s --help)",
                   c && word[1] != 'D' ? 2 : (int)strcspn(word, "="), word, here, g->about->name);
}

/* getopt says little: optopt is a letter, a row's number, or 0 for a long option it does not know. */
static int refuse_option(const struct grammar *g, int c, char *const *argv, struct err *err) {
    const char *arg = argv[optind - 1];
    const struct opt_row *r = optopt ? row_of(g, optopt).row : NULL;
    const char one_letter[] = {'-', (char)optopt, 0};
    if (!r && (refuse_renamed(g, optopt ? one_letter : arg, argv[optind], err) || refuse_peers(g, optopt, argv, err))) return -1;
    const char *tool = g->about->name, *of = g->command ? " of " : "", *command = g->command ? g->command->name : "";
    const char *what = c == ':' ? "needs an argument"
                       : r      ? "takes no argument"
                                : "is not an option",
               *space = *command ? " " : "";
    if (!optopt && abbreviated(g, arg) > 1) {
        what = "is ambiguous";
        of = "";
    }
    if (r) return err_set(err, ERR_USAGE, "--%s %s (see %s%s%s --help)", r->name, what, tool, space, command);
    char meant[NEAR_NAME_MAX + 48] = "";
    if (!optopt && !g->command && !strncmp(arg, "--", 2)) meant_option(g, arg, meant); /* else it is another command's */
    if (!optopt && means_share(g, arg)) snprintf(meant, sizeof meant, "; did you mean '--partitions J/M'?");
    const int shown = (int)(optopt ? 2 : strcspn(arg, "=")); /* its value may be a password */
    return err_set(err, ERR_USAGE, "%.*s %s%s%s%s (see %s%s%s --help)", shown, optopt ? one_letter : arg, what, of,
                   *of ? command : "", meant, tool, space, command);
}

/* -columns, which getopt reads as -c olumns, or letter by letter. c: the letter that it has just found. */
static int refuse_one_dash(const struct grammar *g, int c, char *const *argv, struct err *err) {
    const struct opt_row *r = row_of(g, c).row;
    const char *word = !r || !r->letter || r->letter != c ? NULL : r->arg ? argv[optind - 1] : argv[optind];
    if (!word || word[0] != '-' || word[1] != c || (r->arg && optarg != word + 2)) return 0;
    const size_t n = strcspn(word + 1, "=");
    for (const struct option *o = g->longs; o->name; o++)
        if (strlen(o->name) == n && !strncmp(o->name, word + 1, n))
            return err_set(err, ERR_USAGE, "%s is not an option; did you mean '-%.*s'? (see %s --help)", word, (int)n + 1, word,
                           g->about->name);
    return 0;
}

/* Word processors and wikis write other dashes for "-": what follows would be an input. */
static int refuse_other_dash(const char *word, struct err *err) {
    static const struct {
        const char *bytes, *name;
    } dashes[] = {{"\xe2\x80\x93", "an en dash"},         {"\xe2\x80\x94", "an em dash"},
                  {"\xe2\x80\x90", "a hyphen (U+2010)"},  {"\xe2\x80\x91", "a hyphen (U+2011)"},
                  {"\xe2\x80\x92", "a figure dash"},      {"\xe2\x88\x92", "a minus sign"},
                  {"\xef\xbc\x8d", "a full-width hyphen"}};
    for (size_t i = 0; i < countof(dashes); i++) {
        const size_t n = strlen(dashes[i].bytes);
        const char *rest = word + n;
        if (strncmp(word, dashes[i].bytes, n) || !access(word, F_OK)) continue;
        while (!strncmp(rest, dashes[i].bytes, n)) rest += n;
        const bool is_long = rest > word + n || strcspn(rest, "=") > 1;
        return err_set(err, ERR_USAGE, "'%.*s' begins with %s, not with '-': write %s%.*s", (int)strcspn(word, "="), word,
                       dashes[i].name, is_long ? "--" : "-", (int)strcspn(rest, "="), rest);
    }
    return 0;
}

/* The names of all commands, for messages. */
static int refuse_command(const struct tool_about *about, const char *given, struct err *err) {
    char names[160];
    size_t n = 0;
    if (given && opt_refuse_foreign(about->name, given, false, err)) return -1;
    for (const struct tool_command *c = about->commands; c->name; c++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              c == about->commands ? ""
                              : c[1].name          ? ", "
                                                   : " or ",
                              c->name);
    if (!given) return err_set(err, ERR_USAGE, "no command given: %s (see %s --help)", names, about->name);
    char meant[NEAR_NAME_MAX + 48];
    struct near_name near = near_name_to(bytes_str(given));
    for (const struct tool_command *c = about->commands; c->name; c++) near_name_offer(&near, bytes_str(c->name));
    near_name_text(&near, "", meant);
    return err_set(err, ERR_USAGE, "'%s' is not a command: %s%s (see %s --help)", given, names, meant, about->name);
}

static const struct tool_command *command_named(const struct tool_about *about, const char *name) {
    for (const struct tool_command *c = about->commands; c && name && c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

/* The first word, where it is a command of another program. */
static int check_first(const struct tool_about *about, const char *word, struct err *err) {
    if (!word || command_named(about, word) || (!about->commands && !access(word, F_OK))) return 0;
    return opt_refuse_foreign(about->name, word, !about->commands, err);
}

/* `help` is a command of all programs; where there are no others, it may be the name of an input. */
static bool is_help_command(const struct tool_about *about, const char *word) {
    return word && !strcmp(word, "help") && (about->commands || access("help", F_OK));
}

static bool asks_for_help(const char *word) {
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* --help --memory, help --memory, help plan --memory: the last word is what help is asked about, and not read as an option. */
static bool ends_with_topic(const struct tool_about *about, int argc, char **argv) {
    if (argc < 3 || argv[argc - 1][0] != '-' || asks_for_help(argv[argc - 1])) return false;
    return asks_for_help(argv[argc - 2]) || (argc <= 4 && is_help_command(about, argv[1]));
}

/* topic: the word after --help, or (`word`) after `help`: the name of an option, with or without dashes. After --help, a file
 * that exists is an input. */
static int print_help(const struct tool_about *about, const struct tool_command *command, const char *topic, bool all, bool word,
                      struct err *err) {
    struct err unknown = {0};
    static const char completion[] = "completion:";
    if (topic && !strncmp(topic, completion, strlen(completion)))
        return opt_print_completion(about, topic + strlen(completion), err);
    if (!topic || all || (!word && !access(topic, F_OK))) {
        opt_print_help(about, command, all);
        return 0;
    }
    if (!opt_print_topic(about, command, topic, &unknown)) return 0;
    if (!command && opt_refuse_foreign(about->name, topic, false, err)) return -1;
    if (!command && about->commands && *topic != '-') return refuse_command(about, topic, err);
    err_keep(err, &unknown);
    return -1;
}

/* The first of the options that only print, and the word after it; or the first word is `help`. */
struct asked {
    bool help;
    const struct opt_row *row;
    const char *after;
};

/* --help and --version, and the command `help`: *printed says that one was there. argv holds what is no option. */
static int print_asked(const struct tool_about *about, const struct asked *a, char **argv, const struct tool_command **out,
                       bool *printed, struct err *err) {
    const struct opt_row *asked = a->row;
    const bool help_command = a->help || (about->commands && is_help_command(about, argv[0]));
    const char *word = help_command ? argv[1] : argv[0];
    *out = command_named(about, word);
    *printed = asked || help_command;
    if (help_command || (asked && asked->kind == OPT_HELP)) {
        const char *last = *out ? argv[help_command ? 2 : 1] : word;
        const char *topic = help_command ? last : a->after;
        bool all = last && !strcmp(last + (strncmp(last, "--", 2) ? 0 : 2), "all");
        if (topic && *out && !strcmp(topic, (*out)->name)) topic = NULL;
        return print_help(about, *out, topic, all, help_command, err);
    }
    if (asked && asked->kind == OPT_VERSION) opt_print_version(about);
    return 0;
}

/* A first walk: sorts the arguments (options before others, as getopt does) and finds the command and what is only printed. */
static int find_command(const struct tool_about *about, int argc, char **argv, const struct tool_command **out,
                        enum opt_result *result, const char **config, struct err *err) {
    struct grammar g;
    struct asked asked = {.help = is_help_command(about, argv[1])};
    const int end = argc - ends_with_topic(about, argc, argv);
    bool printed;
    *config = getenv("OBKV_CONFIG");
    grammar_make(&g, about, NULL);
    if (check_first(about, argv[1], err)) return -1;
    opterr = 0;
    for (int c; (c = getopt_long(end, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse_option(&g, c, argv, err);
        if (refuse_one_dash(&g, c, argv, err)) return -1;
        const struct opt_row *r = row_of(&g, c).row;
        if (r->kind == OPT_CONFIG && !opt_is_line(optarg)) *config = optarg;
        if (asked.row || (r->kind != OPT_HELP && r->kind != OPT_VERSION)) continue;
        const char *next = optind < argc ? argv[optind] : NULL;
        asked.row = r;
        asked.after = next && (*next != '-' || optind == end) ? next : NULL;
    }
    if (print_asked(about, &asked, argv + optind, out, &printed, err)) return -1;
    *result = printed ? OPT_DONE : OPT_RUN;
    if (printed || !about->commands || *out) return 0;
    return refuse_command(about, argv[optind], err);
}

static int take_own_defaults(const struct tool_about *about, struct options *o, struct err *err) {
    if (!about->own) return 0;
    o->own = malloc(about->own_bytes);
    if (!o->own) return err_nomem(err, about->own_bytes, "the options");
    memcpy(o->own, about->own, about->own_bytes);
    return 0;
}

/* Refuses a second option of a kind that a command line has once: meant to be added to the first, it would replace it. */
static int check_once(const struct options *o, const struct opt_row *r, const char *value, struct err *err) {
    static const struct {
        const char *option, *instead;
    } once[] = {{"ddl", "one file with all CREATE TABLE statements"},
                {"map", "one"},
                {"base", "one"},
                {"dialect", "one"},
                {"delimiter", "one"},
                {"quote", "one"},
                {"output", "one"},
                {"snapshot", "one"}};
    const struct opt_given *first = NULL;
    for (unsigned i = 0; i < o->given.n; i++)
        if (o->given.list[i].row == r && o->given.list[i].from == OPT_FROM_LINE) first = &o->given.list[i];
    for (unsigned k = 0; first && k < countof(once); k++)
        if (!strcmp(r->name, once[k].option) && strcmp(first->value, value))
            return err_set(err, ERR_USAGE, "--%s is given twice, as %s and %s; give %s", r->name, first->value, value,
                           once[k].instead);
    return 0;
}

int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result,
              struct err *err) {
    struct grammar g;
    *o = options_default();
    const char *config = NULL;
    if (find_command(about, argc, argv, &o->command, result, &config, err)) return -1;
    if (*result == OPT_DONE) return 0;
    if (take_own_defaults(about, o, err)) return -1;
    grammar_make(&g, about, o->command);
    o->groups = o->command ? o->command->groups : about->groups;
    if (opt_take_file(about, o, config, err) || opt_take_environment(o, err)) return -1;
    optind = 0; /* from the beginning */
    for (int c; (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse_option(&g, c, argv, err);
        struct opt_found f = row_of(&g, c);
        if (f.row->kind == OPT_CONFIG && opt_is_line(optarg) && opt_take_line(about, o, optarg, err)) return -1;
        if (check_once(o, f.row, optarg, err) || opt_set(f.group, f.row, optarg, &opt_from_line, o, err)) return -1;
    }
    for (int i = optind; i < argc; i++)
        if (refuse_other_dash(argv[i], err)) return -1;
    o->inputs = argv + optind + (o->command != NULL);
    o->n_inputs = argc - optind - (o->command != NULL);
    if (o->command && !o->n_inputs && !o->command->may_have_no_input)
        return err_set(err, ERR_USAGE, "%s: no input given (see %s %s --help)", o->command->name, about->name, o->command->name);
    if (!o->resources.threads || o->resources.threads > 256)
        return err_set(err, ERR_USAGE, "--threads must be between 1 and 256");
    return 0;
}

void opt_free(struct options *o) {
    free(o->own);
    o->own = NULL;
    for (size_t i = 0; i < countof(o->given.parts); i++) free(o->given.parts[i]);
    opt_config_free(&o->config);
}
