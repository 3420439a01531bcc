/* The six programs and their commands, known to all of them: a command that is typed to another program, or has a section in a
 * file of settings, differs from a word without meaning. The build makes the lists from the tables of the programs, which do not
 * know each other. */
#include "cmd/common/opt_programs.h"

#include "base/near_name.h"

#include "gen/command_list.h"
#include "gen/program_list.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM(program) "obkv-" #program,
#define COMMAND(program, command) {"obkv-" #program, #command},

static const char *const programs[] = {PROGRAM_LIST(PROGRAM)};
static const struct { const char *program, *name; } commands[] = {COMMAND_LIST(COMMAND)};

bool opt_is_program(struct bytes name) {
    for (size_t i = 0; i < countof(programs); i++)
        if (bytes_eq(name, bytes_str(programs[i]))) return true;
    return false;
}

bool opt_is_command(struct bytes program, struct bytes name) {
    for (size_t i = 0; i < countof(commands); i++)
        if (bytes_eq(program, bytes_str(commands[i].program)) && bytes_eq(name, bytes_str(commands[i].name))) return true;
    return false;
}

const char *opt_program_meant(struct bytes name, char *out) {
    struct near_name near = near_name_to(name);
    for (size_t i = 0; i < countof(programs); i++) near_name_offer(&near, bytes_str(programs[i]));
    return near_name_text(&near, "", out);
}

const char *opt_command_meant(struct bytes program, struct bytes name, char *out) {
    struct near_name near = near_name_to(name);
    for (size_t i = 0; i < countof(commands); i++)
        if (bytes_eq(program, bytes_str(commands[i].program))) near_name_offer(&near, bytes_str(commands[i].name));
    return near_name_text(&near, "", out);
}

/* "import", or "obkv-import" where that is not the program itself. */
static const char *program_called(const char *word, const char *own) {
    const size_t skip = strncmp(word, "obkv-", 5) ? 0 : 5;
    for (size_t i = 0; i < countof(programs); i++)
        if (!strcmp(programs[i] + 5, word + skip) && strcmp(programs[i], own)) return programs[i];
    return NULL;
}

int opt_refuse_foreign(const char *program, const char *word, bool as_file, struct err *err) {
    const char *no_file = as_file ? "no file but " : "";
    for (size_t i = 0; i < countof(commands); i++)
        if (!strcmp(commands[i].name, word) && strcmp(commands[i].program, program))
            return err_set(err, ERR_USAGE, "'%s' is %sa command of another program; did you mean '%s %s'? (see %s help %s)", word,
                           no_file, commands[i].program, word, commands[i].program, word);
    const char *meant = program_called(word, program);
    if (!meant) return 0;
    return err_set(err, ERR_USAGE, "'%s' is %sa program of its own; did you mean '%s'? (see %s --help)", word, no_file, meant,
                   meant);
}
