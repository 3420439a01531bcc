/* --help, printed from the tables of options and as wide as the terminal. First comes what most runs need; the other options are
 * listed by name, and `--help all` explains each. A command with few options shows them all. */
#include "cmd/common/opt_views.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 100, NARROWEST = 60, WIDEST = 130, TEXT_AT = 31, FEW = 18 };

static unsigned help_width(void) {
    struct winsize w;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col) return WIDTH;
    return w.ws_col < NARROWEST ? NARROWEST : w.ws_col > WIDEST ? WIDEST : w.ws_col;
}

/* Characters, not bytes. */
static unsigned letters_of(const char *s, size_t n) {
    unsigned letters = 0;
    for (size_t i = 0; i < n; i++) letters += ((unsigned char)s[i] & 0xc0) != 0x80;
    return letters;
}

/* The words of text from column `at` on; further lines begin at column `indent`. */
static void print_wrapped(const char *text, unsigned at, unsigned indent, unsigned width) {
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        unsigned letters = letters_of(text, n);
        if (!first && at + 1 + letters > width) {
            printf("\n%*s", (int)indent, "");
            at = indent;
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

static void print_row(const struct opt_row *r, unsigned width) {
    char left[64];
    int n = r->letter ? snprintf(left, sizeof left, "-%c, --%s", r->letter, r->name)
                      : snprintf(left, sizeof left, "    --%s", r->name);
    if (r->arg) snprintf(left + n, sizeof left - (size_t)n, " %s", r->arg);
    int used = printf("  %-28s ", left);
    print_wrapped(r->help, (unsigned)used, TEXT_AT, width);
}

static void print_groups(const struct opt_group *const *groups, unsigned width) {
    const char *title = "";
    for (; *groups; groups++) {
        if (strcmp(title, (*groups)->title)) printf("\n%s options:\n", (*groups)->title);
        title = (*groups)->title;
        for (size_t i = 0; i < (*groups)->n; i++) print_row(&(*groups)->rows[i], width);
    }
}

static bool named_in(const char *const *names, const char *name) {
    for (; names && *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

static size_t count_rows(const struct opt_group *const *groups) {
    size_t n = 0;
    for (; *groups; groups++) n += (*groups)->n;
    return n;
}

/* The names of what is not in `first`, a paragraph for each title. */
static void print_others(const struct opt_group *const *groups, const char *const *first, unsigned width) {
    while (*groups) {
        const char *title = (*groups)->title;
        char text[4096];
        size_t n = 0;
        for (; *groups && !strcmp((*groups)->title, title); groups++)
            for (size_t i = 0; i < (*groups)->n && n < sizeof text; i++) {
                const char *name = (*groups)->rows[i].name;
                if (!named_in(first, name)) n += (size_t)snprintf(text + n, sizeof text - n, "%s--%s", n ? " " : "", name);
            }
        if (n) {
            printf("  %-16s ", title);
            print_wrapped(text, 19, 19, width);
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
    printf("\nother options (%s explains all %zu):\n", see, count_rows(groups));
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
        int used = printf("  %-24s ", left);
        print_wrapped(c->summary, (unsigned)used, 27, width);
    }
    printf("\noptions of all commands (%s help COMMAND lists those of one):\n", about->name);
    for (const struct opt_group *const *g = about->commands->groups; *g; g++)
        for (size_t i = 0; i < (*g)->n; i++)
            if (all_have(about, &(*g)->rows[i])) print_row(&(*g)->rows[i], width);
}

void opt_print_help(const struct tool_about *about, const struct tool_command *command, bool all) {
    char see[64];
    if (command) {
        printf("usage: %s %s [options] %s\n%s\n", about->name, command->name, command->inputs, command->summary);
        snprintf(see, sizeof see, "%s help %s all", about->name, command->name);
        print_options(command->groups, command->first, all, see);
    } else {
        printf("usage: %s %s\n%s\n", about->name, about->usage, about->summary);
        snprintf(see, sizeof see, "%s --help all", about->name);
        if (about->commands)
            print_commands(about);
        else
            print_options(about->groups, about->first, all, see);
    }
    printf("\nSizes take K, M, G, T. Exit codes: 0 done, 1 differences or damage found, 2 usage, 3 done with rejects or losses,\n"
           "4 too many rejects, 5 input unreadable, 6 resource limit, 7 output not writable, 70 internal, 75 try again.\n");
}
