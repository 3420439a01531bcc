#include "cmd/common/opt_help.h"

#include "cmd/common/opt_rows.h"

#include <stdio.h>

static void print_options(unsigned of, bool of_all) {
    for (size_t i = 0; i < opt_n_rows; i++) {
        const struct opt_row *r = &opt_rows[i];
        if (of_all ? (r->tools & of) != of : !(r->tools & of)) continue;
        char left[64];
        int n = r->letter ? snprintf(left, sizeof left, "-%c, --%s", r->letter, r->name)
                          : snprintf(left, sizeof left, "    --%s", r->name);
        if (r->arg) snprintf(left + n, sizeof left - (size_t)n, " %s", r->arg);
        printf("  %-28s %s\n", left, r->help);
    }
}

static void print_commands(const struct tool_about *about) {
    printf("\ncommands:\n");
    for (const struct tool_command *c = about->commands; c->name; c++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", c->name, c->inputs);
        printf("  %-24s %s\n", left, c->summary);
    }
    printf("\n%s COMMAND --help tells the options of a command; all have these:\n", about->name);
}

void opt_help(const struct tool_about *about, const struct tool_command *command) {
    if (command) {
        printf("usage: %s %s [options] %s\n%s\n\noptions:\n", about->name, command->name, command->inputs, command->summary);
    } else {
        printf("usage: %s %s\n%s\n", about->name, about->usage, about->summary);
        if (about->commands)
            print_commands(about);
        else
            printf("\noptions:\n");
    }
    print_options(command ? command->bit : about->tool, !command);
    printf("\nsizes take K, M, G, T. Exit codes: 0 done, 1 differences or damage found, 2 usage, 3 done with rejects or losses,\n"
           "4 too many rejects, 5 input unreadable, 6 resource limit, 7 output not writable, 70 internal, 75 try again.\n");
}
