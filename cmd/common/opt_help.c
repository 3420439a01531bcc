/* --help, printed from the tables of options and as wide as the terminal. First comes what most runs need; the other options are
 * listed by name, and `--help all` explains each. A command with few options shows them all. */

#include "cmd/common/opt_help.h"
#include "cmd/common/text_width.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 100, NARROWEST = 60, WIDEST = 130, TEXT_AT = 31, TEXT_AT_NARROW = 8, COMMANDS_AT = 27, NARROW = 80, FEW = 18 };

static unsigned help_width(void) {
    struct winsize w;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col) return WIDTH;
    return w.ws_col < NARROWEST ? NARROWEST : w.ws_col > WIDEST ? WIDEST : w.ws_col;
}

struct wrap {
    unsigned width, indent; /* of further lines */
    const char *joint;      /* stands at the end of a line that is continued */
};

/* The words of text from column `at` on. */
static void print_wrapped(const char *text, unsigned at, const struct wrap *w) {
    const unsigned joint = (unsigned)strlen(w->joint);
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        unsigned letters = (unsigned)text_width(text, n), last = text[n] ? joint : 0;
        if (!first && at + 1 + letters + last > w->width) {
            printf("%s\n%*s", w->joint, (int)w->indent, "");
            at = w->indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)n, text);
        at += letters;
        text += n;
        while (*text == ' ') text++;
    }
    putchar('\n');
}

/* Lines of text; those that begin with spaces are commands to type. */
static void print_text(const char *text, unsigned width) {
    char line[400];
    for (const char *end; *text; text = end + (*end == '\n')) {
        end = text + strcspn(text, "\n");
        const int n = (int)strspn(text, " ");
        const struct wrap w = {width, n ? 6 : 0, n ? " \\" : ""};
        snprintf(line, sizeof line, "%.*s", (int)(end - text) - n, text + n);
        printf("%*s", n, "");
        print_wrapped(line, (unsigned)n, &w);
    }
}

/* Prints an option or command, and what it does: beside it from column `at` on, or below it on a narrow terminal. */
static void print_entry(const char *left, const char *text, unsigned at, unsigned width) {
    struct wrap w = {width, width < NARROW ? TEXT_AT_NARROW : at, ""};
    if (width < NARROW)
        printf("  %s\n%*s", left, TEXT_AT_NARROW, "");
    else if (strlen(left) + 3 > at)
        printf("  %s\n%*s", left, (int)at, "");
    else
        printf("  %-*s ", (int)at - 3, left);
    print_wrapped(text, w.indent, &w);
}

static void print_row(const struct opt_row *r, unsigned width) {
    char left[64];
    int n = r->letter ? snprintf(left, sizeof left, "-%c, --%s", r->letter, r->name)
                      : snprintf(left, sizeof left, "    --%s", r->name);
    if (r->arg) snprintf(left + n, sizeof left - (size_t)n, " %s", r->arg);
    print_entry(left, r->help, TEXT_AT, width);
}

/* Parts of an option: NAME=VALUE, a line each. */
static void print_parts(const struct opt_group *const *groups, const struct opt_row *of, unsigned width) {
    for (; of->kind == OPT_PARTS && *groups; groups++)
        for (size_t i = 0; (*groups)->under && !strcmp((*groups)->under, of->name) && i < (*groups)->n; i++) {
            const struct opt_row *r = &(*groups)->rows[i];
            char left[80];
            snprintf(left, sizeof left, "        %s=%s", r->name, r->arg);
            print_entry(left, r->help, TEXT_AT, width);
        }
}

void opt_print_row(const struct opt_group *const *groups, const struct opt_found *f) {
    printf("%s option:\n", f->group->title);
    print_row(f->row, help_width());
    print_parts(groups, f->row, help_width());
}

static void print_groups(const struct opt_group *const *groups, unsigned width) {
    const char *title = "";
    for (const struct opt_group *const *all = groups; *groups; groups++) {
        if ((*groups)->under) continue;
        if (strcmp(title, (*groups)->title)) printf("\n%s options:\n", (*groups)->title);
        title = (*groups)->title;
        for (size_t i = 0; i < (*groups)->n; i++) {
            print_row(&(*groups)->rows[i], width);
            print_parts(all, &(*groups)->rows[i], width);
        }
    }
}

static bool named_in(const char *const *names, const char *name) {
    for (; names && *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

static size_t count_rows(const struct opt_group *const *groups) {
    size_t n = 0;
    for (; *groups; groups++) n += (*groups)->under ? 0 : (*groups)->n;
    return n;
}

/* The names of what is not in `first`, a paragraph for each title. */
static void print_others(const struct opt_group *const *groups, const char *const *first, unsigned width) {
    const struct wrap w = {width, 19, ""};
    while (*groups) {
        const char *title = (*groups)->title;
        char text[4096];
        size_t n = 0;
        for (; *groups && ((*groups)->under || !strcmp((*groups)->title, title)); groups++)
            for (size_t i = (*groups)->under ? (*groups)->n : 0; i < (*groups)->n && n < sizeof text; i++) {
                const char *name = (*groups)->rows[i].name;
                if (!named_in(first, name)) n += (size_t)snprintf(text + n, sizeof text - n, "%s--%s", n ? " " : "", name);
            }
        if (n) {
            printf("  %-16s ", title);
            print_wrapped(text, 19, &w);
        }
    }
}

/* see: what to type for all of them. */
static void print_options(const struct opt_group *const *groups, const char *const *first, bool all, const char *see) {
    unsigned width = help_width();
    if (all || !first || count_rows(groups) <= FEW) {
        print_groups(groups, width);
        return;
    }
    printf("\nmost used options:\n");
    for (const char *const *name = first; *name; name++) {
        const struct opt_row *r = opt_row_named(groups, *name);
        if (r) print_row(r, width);
    }
    char title[120];
    snprintf(title, sizeof title, "\nother options (%s explains all %zu):", see, count_rows(groups));
    print_text(title, width);
    print_others(groups, first, width);
}

static bool all_have(const struct tool_about *about, const struct opt_row *r) {
    for (const struct tool_command *c = about->commands; c->name; c++)
        if (opt_row_named(c->groups, r->name) != r) return false;
    return true;
}

static void print_commands(const struct tool_about *about) {
    unsigned width = help_width();
    printf("\ncommands:\n");
    for (const struct tool_command *c = about->commands; c->name; c++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", c->name, c->inputs);
        print_entry(left, c->summary, COMMANDS_AT, width);
    }
    char title[120];
    snprintf(title, sizeof title, "\noptions of all commands (%s help COMMAND lists those of one):", about->name);
    print_text(title, width);
    for (const struct opt_group *const *g = about->commands->groups; *g; g++)
        for (size_t i = 0; !(*g)->under && i < (*g)->n; i++)
            if (all_have(about, &(*g)->rows[i])) print_row(&(*g)->rows[i], width);
}

void opt_print_help(const struct tool_about *about, const struct tool_command *command, bool all) {
    char see[64], usage[200];
    const unsigned width = help_width();
    const struct wrap wrap = {width, 8, ""};
    if (command)
        snprintf(usage, sizeof usage, "usage: %s %s [options] %s", about->name, command->name, command->inputs);
    else
        snprintf(usage, sizeof usage, "usage: %s %s", about->name, about->usage);
    print_wrapped(usage, 0, &wrap);
    print_text(command ? command->summary : about->summary, width);
    if (command) {
        snprintf(see, sizeof see, "%s help %s all", about->name, command->name);
        print_options(command->groups, command->first, all, see);
    } else {
        snprintf(see, sizeof see, "%s --help all", about->name);
        if (about->commands)
            print_commands(about);
        else
            print_options(about->groups, about->first, all, see);
    }
    putchar('\n');
    print_text(
        "Sizes take K, M, G, T. Exit codes: 0 done, 1 differences or damage found, 2 usage, 3 done with rejects or losses, "
        "4 too many rejects, 5 input unreadable, 6 resource limit, 7 output not writable, 70 internal, 75 try again.",
        width);
}
