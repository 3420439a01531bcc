/* `--help OPTION`: what one option does. It may be named with or without dashes, by the beginning of its name, or by its letter.
 * A program with commands may have options of one name that mean different things: without a command, each is shown. */
#include "cmd/common/opt_help.h"
#include "cmd/common/opt_views.h"

#include "base/near_name.h"

#include <stdio.h>
#include <string.h>

struct topics {
    struct opt_found rows[OPT_ROWS_MAX];
    const struct opt_group *const *from[OPT_ROWS_MAX]; /* the groups of which each is */
    size_t n;
};

static void add_rows(struct topics *t, const struct opt_group *const *groups) {
    const struct opt_group *const *all = groups;
    for (; groups && *groups; groups++)
        for (size_t i = 0; !(*groups)->under && i < (*groups)->n && t->n < OPT_ROWS_MAX; i++) {
            const struct opt_row *row = &(*groups)->rows[i];
            size_t k = 0;
            while (k < t->n && t->rows[k].row != row) k++;
            if (k < t->n) continue;
            t->from[t->n] = all;
            t->rows[t->n++] = (struct opt_found){*groups, row};
        }
}

/* An option is meant by its name or letter; else all whose names begin so. */
static bool is_named(const struct opt_row *r, const char *word) {
    return !strcmp(r->name, word) || (r->letter && word[0] == r->letter && !word[1]);
}

static bool begins_so(const struct opt_row *r, const char *word) {
    return *word && !strncmp(r->name, word, strlen(word));
}

static void print_commands_with(const struct tool_about *about, const struct opt_row *row) {
    const char *joint = "      of command ";
    for (const struct tool_command *c = about->commands; c && c->name; c++) {
        if (opt_row_named(c->groups, row->name) != row) continue;
        printf("%s%s", joint, c->name);
        joint = ", ";
    }
    if (about->commands) putchar('\n');
}

static int refuse(const struct tool_about *about, const struct tool_command *command, const struct topics *t, const char *word,
                  struct err *err) {
    char meant[NEAR_NAME_MAX + 48];
    const char *space = command ? " " : "", *name = command ? command->name : "";
    struct near_name near = near_name_to(bytes_str(word));
    for (size_t i = 0; i < t->n; i++) near_name_offer(&near, bytes_str(t->rows[i].row->name));
    near_name_text(&near, "--", meant);
    return err_set(err, ERR_USAGE, "--help: %s%s%s has no option '%s'%s (see %s%s%s --help)", about->name, space, name, word,
                   meant, about->name, space, name);
}

int opt_print_topic(const struct tool_about *about, const struct tool_command *command, const char *word, struct err *err) {
    struct topics t = {.n = 0};
    size_t shown = 0;
    word += strspn(word, "-");
    add_rows(&t, command ? command->groups : about->groups);
    for (const struct tool_command *c = command ? NULL : about->commands; c && c->name; c++) add_rows(&t, c->groups);
    for (bool (*meant)(const struct opt_row *, const char *) = is_named; !shown; meant = begins_so) {
        for (size_t i = 0; i < t.n; i++) {
            if (!meant(t.rows[i].row, word)) continue;
            opt_print_row(t.from[i], &t.rows[i]);
            if (!command) print_commands_with(about, t.rows[i].row);
            shown++;
        }
        if (meant == begins_so) break;
    }
    return shown ? 0 : refuse(about, command, &t, word, err);
}
