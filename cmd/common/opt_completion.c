/* Prints, for --help completion:SHELL, a script from which bash, zsh or fish completes command lines of the program, made from
 * the same tables as --help, so that no option can be missing.
 *
 * What follows an option is known by its argument: FILE and PATH are files, DIR is a directory, and where the text of help lists
 * values ("auto | never | json"), those. */
#include "cmd/common/opt_value.h"
#include "cmd/common/opt_views.h"

#include <stdio.h>
#include <string.h>

enum { VALUES_BYTES = 256 };

/* ---- values ---- */

static bool is_word(const char *s, size_t n) {
    size_t lower = 0;
    for (size_t i = 0; i < n; i++) {
        bool letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= '0' && s[i] <= '9') || s[i] == '_' || s[i] == '-';
        if (letter)
            lower++;
        else if (s[i] < 'A' || s[i] > 'Z')
            return false;
    }
    return n && (lower == n || !lower); /* not N, as in key:N; FALSE, TRUE and TTL are values */
}

static bool has_value(const char *values, const char *word, size_t n) {
    for (; *values; values += strspn(values, " ")) {
        size_t length = strcspn(values, " ");
        if (length == n && !memcmp(values, word, n)) return true;
        values += length;
    }
    return false;
}

/* The value that a part of "auto (default) | never: not at all" begins with; 0 = it begins with something else. */
static size_t value_length(const char *part, size_t n) {
    size_t word = strcspn(part, " :(,|"), i = word;
    if (word > n || !is_word(part, word)) return 0;
    while (i < n && part[i] == ' ') i++;
    if (i < n && part[i] == '(') { /* what it stands for, or that it is the default */
        while (i < n && part[i] != ')') i++;
        i++;
    }
    return i >= n || part[i] == ':' || part[i] == ',' ? word : 0;
}

/* "auto never json"; "" when help lists no values. The text before the last colon of the first part says where they count. */
static const char *values_of(const struct opt_row *r, char out[VALUES_BYTES]) {
    size_t used = 0;
    out[0] = 0;
    if (!r->arg || !strstr(r->help, " | ")) return out;
    for (const char *part = r->help; part;) {
        const char *end = strstr(part, " | "), *stop = end ? end : part + strlen(part), *value = part;
        for (const char *c = part; part == r->help && c + 1 < stop; c++)
            if (c[0] == ':' && c[1] == ' ' && value_length(c + 2, (size_t)(stop - c - 2))) value = c + 2;
        size_t n = value_length(value, (size_t)(stop - value));
        if (n && used + n + 2 < VALUES_BYTES && !has_value(out, value, n))
            used += (size_t)snprintf(out + used, VALUES_BYTES - used, "%s%.*s", used ? " " : "", (int)n, value);
        part = end ? end + 3 : NULL;
    }
    return out;
}

enum follows { FOLLOWS_NOTHING, FOLLOWS_TEXT, FOLLOWS_VALUE, FOLLOWS_FILE, FOLLOWS_DIR };

static enum follows follows(const struct opt_row *r) {
    char values[VALUES_BYTES];
    if (!r->arg) return FOLLOWS_NOTHING;
    if (!strcmp(r->arg, "DIR")) return FOLLOWS_DIR;
    if (!strcmp(r->arg, "FILE") || !strcmp(r->arg, "PATH") || !strcmp(r->arg, "DATASET")) return FOLLOWS_FILE;
    return *values_of(r, values) ? FOLLOWS_VALUE : FOLLOWS_TEXT;
}

/* Groups may share a row: only the first one counts. */
static bool is_first(const struct opt_group *const *groups, const struct opt_row *r) {
    return opt_row_named(groups, r->name) == r;
}

/* Letters, digits and underscores: obkv_import, obkv_split_plan. */
static void function_name(const struct tool_about *about, const struct tool_command *command, char out[64]) {
    snprintf(out, 64, "%s%s%s", about->name, command ? "_" : "", command ? command->name : "");
    for (char *c = out; *c; c++)
        if (*c == '-') *c = '_';
}

/* The text of help between quotes of a shell: what would end them becomes a typographic quote. */
static void put_quoted(const char *text, const char *escaped) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("\u2019", stdout);
            continue;
        }
        if (strchr(escaped, *text)) putchar('\\');
        putchar(*text);
    }
}

/* ---- bash ---- */

static void bash_values(const struct opt_group *const *groups) {
    for (const struct opt_group *const *g = groups; *g; g++)
        for (size_t i = 0; i < (*g)->n; i++) {
            const struct opt_row *r = &(*g)->rows[i];
            char values[VALUES_BYTES];
            enum follows f = follows(r);
            if (f == FOLLOWS_NOTHING || !is_first(groups, r)) continue;
            printf("        --%s", r->name);
            if (r->letter) printf(" | -%c", r->letter);
            if (f == FOLLOWS_TEXT) printf(") return ;;\n");
            if (f == FOLLOWS_VALUE)
                printf(") mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\"); return ;;\n", values_of(r, values));
            if (f == FOLLOWS_FILE) printf(") mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n");
            if (f == FOLLOWS_DIR) printf(") mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n");
        }
}

static void bash_function(const struct tool_about *about, const struct tool_command *command) {
    const struct opt_group *const *groups = command ? command->groups : about->groups;
    char name[64];
    function_name(about, command, name);
    printf("_%s() { # uses cur and prev\n    case $prev in\n", name);
    bash_values(groups);
    printf("    esac\n    if [[ $cur == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W '");
    for (const struct opt_group *const *g = groups; *g; g++)
        for (size_t i = 0; i < (*g)->n; i++)
            if (is_first(groups, &(*g)->rows[i])) printf("--%s ", (*g)->rows[i].name);
    printf("' -- \"$cur\")\n    else\n        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n    fi\n}\n");
}

static void print_bash(const struct tool_about *about) {
    char name[64];
    function_name(about, NULL, name);
    printf("# Completion of %s %s for bash, made by %s --help completion:bash.\n", about->name, obkv_version, about->name);
    for (const struct tool_command *c = about->commands; c && c->name; c++) bash_function(about, c);
    if (!about->commands) bash_function(about, NULL);
    printf("_%s_line() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word\n"
           "    COMPREPLY=()\n"
           "    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    [[ $cur != = ]] || cur=\n",
           name);
    if (about->commands) {
        printf("    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n        case $word in\n");
        for (const struct tool_command *c = about->commands; c->name; c++) {
            char of[64];
            function_name(about, c, of);
            printf("            %s) _%s; return ;;\n", c->name, of);
        }
        printf("        esac\n    done\n    mapfile -t COMPREPLY < <(compgen -W '");
        for (const struct tool_command *c = about->commands; c->name; c++) printf("%s ", c->name);
        printf("help --help --version' -- \"$cur\")\n");
    } else {
        printf("    _%s\n", name);
    }
    printf("}\ncomplete -o filenames -F _%s_line %s\n", name, about->name);
}

/* ---- zsh ---- */

static void zsh_row(const struct opt_row *r) {
    char values[VALUES_BYTES];
    const char *repeated = r->kind == OPT_LIST ? "*" : "";
    printf(" \\\n        ");
    if (r->letter && !*repeated)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", r->letter, r->name, r->letter, r->arg ? "+" : "", r->name, r->arg ? "=" : "");
    else
        printf("'%s--%s%s[", repeated, r->name, r->arg ? "=" : "");
    put_quoted(r->help, "[]:\\");
    putchar(']');
    switch (follows(r)) {
    case FOLLOWS_NOTHING: break;
    case FOLLOWS_TEXT: printf(":%s: ", r->arg); break;
    case FOLLOWS_VALUE: printf(":%s:(%s)", r->arg, values_of(r, values)); break;
    case FOLLOWS_FILE: printf(":%s:_files", r->arg); break;
    case FOLLOWS_DIR: printf(":%s:_files -/", r->arg); break;
    }
    putchar('\'');
}

static void zsh_arguments(const struct opt_group *const *groups) {
    printf("    _arguments -s");
    for (const struct opt_group *const *g = groups; *g; g++)
        for (size_t i = 0; i < (*g)->n; i++)
            if (is_first(groups, &(*g)->rows[i])) zsh_row(&(*g)->rows[i]);
    printf(" \\\n        '*:input:_files'\n");
}

static void print_zsh(const struct tool_about *about) {
    char name[64];
    function_name(about, NULL, name);
    printf("#compdef %s\n# Completion of %s %s for zsh, made by %s --help completion:zsh.\n", about->name, about->name,
           obkv_version, about->name);
    if (!about->commands) {
        printf("_%s() {\n", name);
        zsh_arguments(about->groups);
    } else {
        for (const struct tool_command *c = about->commands; c->name; c++) {
            char of[64];
            function_name(about, c, of);
            printf("_%s() {\n", of);
            zsh_arguments(c->groups);
            printf("}\n");
        }
        printf("_%s() {\n    local -a commands=(\n", name);
        for (const struct tool_command *c = about->commands; c->name; c++) {
            printf("        '%s:", c->name);
            put_quoted(c->summary, "\\");
            printf("'\n");
        }
        printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
               "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
               "    (( $+functions[_%s_$command] )) && _%s_$command\n",
               name, name);
    }
    printf("}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _%s \"$@\"; else compdef _%s %s; fi\n", name, name,
           about->name);
}

/* ---- fish ---- */

static void fish_rows(const struct tool_about *about, const struct tool_command *command) {
    const struct opt_group *const *groups = command ? command->groups : about->groups;
    for (const struct opt_group *const *g = groups; *g; g++)
        for (size_t i = 0; i < (*g)->n; i++) {
            const struct opt_row *r = &(*g)->rows[i];
            char values[VALUES_BYTES];
            enum follows f = follows(r);
            if (!is_first(groups, r)) continue;
            printf("complete -c %s", about->name);
            if (command) printf(" -n '__fish_seen_subcommand_from %s'", command->name);
            if (r->letter) printf(" -s %c", r->letter);
            printf(" -l %s", r->name);
            if (f == FOLLOWS_TEXT) printf(" -x");
            if (f == FOLLOWS_VALUE) printf(" -x -a '%s'", values_of(r, values));
            if (f == FOLLOWS_FILE) printf(" -r -F");
            if (f == FOLLOWS_DIR) printf(" -x -a '(__fish_complete_directories)'");
            printf(" -d '");
            put_quoted(r->help, "\\");
            printf("'\n");
        }
}

static void print_fish(const struct tool_about *about) {
    printf("# Completion of %s %s for fish, made by %s --help completion:fish.\n", about->name, obkv_version, about->name);
    if (!about->commands) fish_rows(about, NULL);
    for (const struct tool_command *c = about->commands; c && c->name; c++) {
        printf("complete -c %s -n __fish_use_subcommand -f -a %s -d '", about->name, c->name);
        put_quoted(c->summary, "\\");
        printf("'\n");
    }
    for (const struct tool_command *c = about->commands; c && c->name; c++) fish_rows(about, c);
}

int opt_print_completion(const struct tool_about *about, const char *shell, struct err *err) {
    if (!strcmp(shell, "bash"))
        print_bash(about);
    else if (!strcmp(shell, "zsh"))
        print_zsh(about);
    else if (!strcmp(shell, "fish"))
        print_fish(about);
    else
        return err_set(err, ERR_USAGE, "--help completion:%s: expected bash, zsh or fish", shell);
    return 0;
}
