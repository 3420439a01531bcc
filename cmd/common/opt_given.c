/* Options that are given, on the command line (opt.c), in a file (--config) or in the environment: a value goes to its place in
 * the struct of its group, and where it came from is kept. The command line beats the environment, and that the file; of an
 * option that may be repeated, all values from the place that counts most. */
#include "cmd/common/opt_given.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/options.h"

#include "base/login_mask.h"
#include "base/near_name.h"
#include "base/plain.h"
#include "base/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool opt_given(const struct options *o, const char *name) {
    for (unsigned i = 0; i < o->given.n; i++)
        if (!strcmp(o->given.list[i].row->name, name)) return true;
    return false;
}

const struct opt_given opt_from_line = {.from = OPT_FROM_LINE};

/* Notes an option that was given. Returns whether it was given before, from a place that counts less. */
static bool note_given(struct options *o, const struct opt_group *g, const struct opt_row *r, const char *value,
                       const struct opt_given *origin) {
    unsigned i = 0;
    while (i < o->given.n && o->given.list[i].row != r && (g->under || strcmp(o->given.list[i].row->name, r->name))) i++;
    if (i == OPT_ROWS_MAX) return false;
    bool replaces = i < o->given.n && o->given.list[i].from < origin->from;
    if (i == o->given.n) o->given.n++;
    o->given.list[i] = *origin;
    o->given.list[i].row = r;
    o->given.list[i].under = g->under;
    o->given.list[i].value = value;
    return replaces;
}

/* Messages go into logs: a secret that was given where none belongs is not shown. */
static const char *shown_value(const char *name, const char *value, char out[200]) {
    if (!value) return "";
    if (!strcmp(name, "target") || !strcmp(name, "from")) return login_mask_address(value, out, 200);
    if (!strcmp(name, "user")) return login_mask_user(value, out, 200);
    return strcmp(name, "password-file") ? value : secret_shown_path(value);
}

void opt_settings(const struct options *o, void (*show)(void *arg, const char *option, const char *from), void *arg) {
    char option[200], from[200], value[200];
    for (unsigned i = 0; i < o->given.n; i++) {
        const struct opt_given *g = &o->given.list[i];
        if (g->from == OPT_FROM_LINE) continue;
        const char *under = g->under && *g->under ? g->under : "", *between = *under ? "=" : " ";
        snprintf(option, sizeof option, "%s%s%s%s%s%s", g->under && !*under ? "" : "--", under, *under ? " " : "", g->row->name,
                 g->value ? between : "", shown_value(g->row->name, g->value, value));
        if (g->line)
            snprintf(from, sizeof from, "%s:%u", g->place, g->line);
        else
            snprintf(from, sizeof from, "%s", g->place);
        show(arg, option, from);
    }
}

/* ---- values ---- */

static uint8_t *struct_of(struct options *o, const struct opt_group *g) {
    return g->at == OPT_OWN ? o->own : (uint8_t *)o + g->at;
}

static int add_item(const struct opt_row *r, struct opt_list *list, const char *arg, struct err *err) {
    if (list->n == (r->given ? r->given : OPT_LIST_MAX)) return err_set(err, ERR_USAGE, "--%s is given too many times", r->name);
    list->item[list->n++] = arg;
    return 0;
}

static const char *expected(enum opt_kind kind) {
    switch (kind) {
    case OPT_SIZE: return "a size like 512M";
    case OPT_COUNT: return "a number";
    case OPT_SECONDS: return "seconds, or a time such as 30s or 2m";
    case OPT_TIME: return "ms since 1970, a date, or a time such as 2026-11-21T12:00:00Z";
    default: return "one byte";
    }
}

static int refuse_value(const struct opt_group *g, const struct opt_row *r, const char *arg, struct err *err) {
    if (!g->under) return err_set(err, ERR_USAGE, "--%s '%s': expected %s", r->name, arg, expected(r->kind));
    if (!*g->under) return err_set(err, ERR_USAGE, "%s = %s: expected %s", r->name, arg, expected(r->kind));
    return err_set(err, ERR_USAGE, "--%s %s=%s: expected %s", g->under, r->name, arg, expected(r->kind));
}

/* A flag says yes or nothing; no: as if it were not there. */
static int take_switch(const char *text, bool *on) {
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    *on = true;
    for (size_t i = 0; text && i < countof(words); i++)
        if (!strcasecmp(text, words[i])) {
            *on = i % 2;
            return 0;
        }
    return text ? -1 : 0;
}

static int set_part_value(const struct opt_row *of, const struct opt_found *f, const char *value, const struct opt_given *origin,
                          struct options *o, struct err *err) {
    bool on = true;
    if (f->row->kind == OPT_FLAG && take_switch(value, &on))
        return err_set(err, ERR_USAGE, "--%s %s=%s: expected true or false", of->name, f->row->name, value);
    return on ? opt_set(f->group, f->row, value, origin, o, err) : 0;
}

/* A part of --set or the like: NAME=VALUE, the name in upper or lower case. */
static int set_part(const struct opt_row *of, const char *part, const struct opt_given *origin, struct options *o,
                    struct err *err) {
    const size_t n = strcspn(part, "=");
    char names[400];
    size_t used = 0;
    for (const struct opt_group *const *g = o->groups; *g; g++)
        for (size_t i = 0; (*g)->under && !strcmp((*g)->under, of->name) && i < (*g)->n; i++) {
            const struct opt_row *r = &(*g)->rows[i];
            if (strlen(r->name) != n || strncasecmp(r->name, part, n) != 0) {
                used += (size_t)snprintf(names + used, used < sizeof names ? sizeof names - used : 0, "%s%s", used ? ", " : "",
                                         r->name);
                continue;
            }
            if (!part[n] || !part[n + 1])
                return err_set(err, ERR_USAGE, "--%s %s needs a value: %s=%s", of->name, part, r->name, r->arg);
            return set_part_value(of, &(struct opt_found){*g, r}, part + n + 1, origin, o, err);
        }
    return err_set(err, ERR_USAGE, "--%s %.*s: there is no such setting; it is one of %s", of->name, (int)n, part, names);
}

/* Parts live as long as the options. */
static int set_parts(const struct opt_row *of, const char *arg, const struct opt_given *origin, struct options *o,
                     struct err *err) {
    char *text = strdup(arg), *rest = text;
    if (!text) return err_nomem(err, strlen(arg), "an option");
    for (unsigned i = 0; i < countof(o->given.parts); i++)
        if (!o->given.parts[i]) {
            o->given.parts[i] = text;
            for (char *part; (part = strsep(&rest, ","));)
                if (set_part(of, part, origin, o, err)) return -1;
            return 0;
        }
    free(text);
    return err_set(err, ERR_USAGE, "--%s is given too many times", of->name);
}

int opt_set(const struct opt_group *g, const struct opt_row *r, const char *arg, const struct opt_given *origin,
            struct options *o, struct err *err) {
    uint8_t *base = struct_of(o, g);
    void *field = base + r->at;
    int rc = 0;
    if (r->kind == OPT_PARTS) return set_parts(r, arg, origin, o, err);
    bool replaces = note_given(o, g, r, arg, origin);
    switch (r->kind) {
    case OPT_FLAG: *(bool *)field = true; break;
    case OPT_TEXT:
    case OPT_LATER: *(const char **)field = arg; break;
    case OPT_LIST:
        if (replaces) ((struct opt_list *)field)->n = 0;
        return add_item(r, field, arg, err);
    case OPT_SIZE:
    case OPT_COUNT: rc = opt_size(arg, field); break;
    case OPT_SECONDS: rc = opt_seconds(arg, field); break;
    case OPT_TIME: rc = opt_time(arg, field); break;
    case OPT_PARTS:
    case OPT_HELP:
    case OPT_CONFIG:
    case OPT_VERSION: return 0;
    }
    if (r->given) *(bool *)(void *)(base + r->given) = true;
    return rc ? refuse_value(g, r, arg, err) : 0;
}

/* ---- rows ---- */

static struct opt_found row_named(const struct opt_group *const *groups, const char *name, size_t n) {
    for (; *groups; groups++)
        for (size_t i = 0; i < (*groups)->n; i++) {
            const struct opt_row *r = &(*groups)->rows[i];
            const bool is_part = (*groups)->under && *(*groups)->under;
            if (!is_part && strlen(r->name) == n && !strncmp(r->name, name, n)) return (struct opt_found){*groups, r};
        }
    return (struct opt_found){0};
}

static bool listed(const char *const *names, const char *name, size_t n) {
    for (; *names; names++)
        if (strlen(*names) == n && !strncmp(*names, name, n)) return true;
    return false;
}

int opt_override(struct options *o, const struct opt_list *given, const char *const *names, const char *option, struct err *err) {
    for (unsigned i = 0; i < given->n; i++) {
        const char *item = given->item[i], *eq = strchr(item, '=');
        size_t n = eq ? (size_t)(eq - item) : strlen(item);
        struct opt_found f = listed(names, item, n) ? row_named(o->groups, item, n) : (struct opt_found){0};
        if (!f.row) return err_set(err, ERR_USAGE, "%s '%s': not an option that can be set for one side", option, item);
        if (!f.row->arg != !eq)
            return err_set(err, ERR_USAGE, "%s %s %s", option, f.row->name, eq ? "takes no value" : "needs a value: NAME=VALUE");
        if (opt_set(f.group, f.row, eq ? eq + 1 : NULL, &opt_from_line, o, err)) return err_prefix(err, "%s", option);
    }
    return 0;
}

int opt_check_later(const struct options *o,
                    int (*check)(const struct options *o, const char *option, const char *path, struct err *err),
                    struct err *err) {
    for (unsigned i = 0; i < o->given.n; i++) {
        const struct opt_row *r = o->given.list[i].row;
        if (r->kind != OPT_LATER) continue;
        struct opt_found f = row_named(o->groups, r->name, strlen(r->name));
        const uint8_t *base = f.group->at == OPT_OWN ? o->own : (const uint8_t *)o + f.group->at;
        if (check(o, r->name, *(const char *const *)(const void *)(base + r->at), err)) return -1;
    }
    return 0;
}

/* ---- options from a file, or from the environment ---- */

static int take_setting(const struct tool_about *about, struct options *o, const struct opt_setting *s, struct err *err) {
    const struct opt_given origin = {.from = OPT_FROM_FILE, .place = o->config.path, .line = s->line};
    struct opt_found f = row_named(o->groups, s->name, strlen(s->name));
    bool on = true;
    if (f.row && (f.row->kind >= OPT_HELP)) return err_set(err, ERR_USAGE, "--%s cannot be given in a file", s->name);
    if (!f.row && !s->own && row_named(opt_shared, s->name, strlen(s->name)).row) return 0; /* another program has it */
    char text[OPT_RENAMED_BYTES];
    const char *now = f.row ? NULL : opt_renamed(o->groups, s->name, s->value, text);
    if (now) return err_set(err, ERR_USAGE, "%s is no option of %s any more: %s", s->name, about->name, now);
    if (!f.row) {
        char meant[NEAR_NAME_MAX + 48];
        struct near_name near = near_name_to(bytes_str(s->name));
        for (const struct opt_group *const *g = o->groups; *g; g++)
            for (size_t i = 0; i < (*g)->n; i++) near_name_offer(&near, bytes_str((*g)->rows[i].name));
        return err_set(err, ERR_USAGE, "%s%s%s has no option %s%s%s", about->name, o->command ? " " : "",
                       o->command ? o->command->name : "", s->name, near_name_text(&near, "", meant),
                       s->own || near.best.p ? "" : "; put options of another program in its section, such as [obkv-load]");
    }
    if (f.row->arg && !s->value) return err_set(err, ERR_USAGE, "%s needs a value: %s = %s", s->name, s->name, f.row->arg);
    if (!f.row->arg && take_switch(s->value, &on))
        return err_set(err, ERR_USAGE, "%s = %s: expected yes or no", s->name, s->value);
    return on ? opt_set(f.group, f.row, f.row->arg ? s->value : NULL, &origin, o, err) : 0;
}

bool opt_is_line(const char *text) {
    return strchr(text, '=') && access(text, F_OK);
}

int opt_take_line(const struct tool_about *about, struct options *o, const char *text, struct err *err) {
    const size_t n = strcspn(text, "=");
    struct opt_found f = row_named(o->groups, text, n);
    bool on = true;
    if (!f.row || f.row->kind >= OPT_HELP)
        return err_set(err, ERR_USAGE, "--config %.*s: %s has no such option, and no file is called so", (int)n, text,
                       about->name);
    if (!f.row->arg && take_switch(text + n + 1, &on)) return err_set(err, ERR_USAGE, "--config %s: expected yes or no", text);
    return on ? opt_set(f.group, f.row, f.row->arg ? text + n + 1 : NULL, &opt_from_line, o, err) : 0;
}

int opt_take_file(const struct tool_about *about, struct options *o, const char *path, struct err *err) {
    if (!path || !*path) return 0;
    if (opt_config_load(&o->config, path, about->name, o->command ? o->command->name : NULL, err)) return -1;
    for (size_t i = 0; i < o->config.n; i++)
        if (take_setting(about, o, &o->config.items[i], err)) return err_prefix(err, "%s:%u", path, o->config.items[i].line);
    return 0;
}

static const struct {
    const char *variable, *option;
} variables[] = {{"OBKV_CONFIG", NULL}, /* opt.c reads it */
                 {"OBKV_MEMORY", "memory"},
                 {"OBKV_THREADS", "threads"},
                 {"OBKV_TEMP_DIR", "temp-dir"},
                 {"OBKV_LOG_FORMAT", "log-format"},
                 {"OBKV_SIGN_KEY", "sign-key"},
                 {"OBKV_STAGED", "staged"},
                 {"OBKV_TARGET", "target"},
                 {"OBKV_USER", "user"},
                 {"OBKV_PASSWORD_FILE", "password-file"}};

int opt_take_environment(struct options *o, struct err *err) {
    for (size_t i = 0; i < countof(variables); i++) {
        const char *variable = variables[i].variable, *option = variables[i].option, *value = getenv(variable);
        const struct opt_given origin = {.from = OPT_FROM_ENVIRONMENT, .place = variable};
        if (!option || !value || !*value) continue;
        struct opt_found f = row_named(o->groups, option, strlen(option));
        if (f.row && opt_set(f.group, f.row, value, &origin, o, err)) return err_prefix(err, "%s", variable);
    }
    return 0;
}

/* OBKV_MAX_REJECTS: named as if the option --max-rejects could be given in this way. */
static const char *option_of(const struct options *o, struct bytes name, char out[NEAR_NAME_MAX + 1]) {
    if (name.n > NEAR_NAME_MAX) return NULL;
    for (size_t i = 0; i < name.n; i++)
        out[i] = (char)(name.p[i] == '_' ? '-' : name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] + 'a' - 'A' : name.p[i]);
    out[name.n] = 0;
    struct opt_found f = row_named(o->groups, out, name.n);
    return (f.row && f.row->kind < OPT_HELP) || (!f.row && opt_row_named(opt_shared, out)) ? out : NULL;
}

/* Returns what a variable that nothing reads was meant for: "; …", or NULL: it may be another program's. */
static const char *meaning_of(const struct options *o, struct bytes name, char out[NEAR_NAME_MAX + 80]) {
    enum { PREFIX = sizeof "OBKV_" - 1 };
    char option[NEAR_NAME_MAX + 1];
    struct near_name near = near_name_to(name);
    for (size_t i = 0; i < countof(variables); i++) {
        const char *known = variables[i].variable + PREFIX;
        near_name_offer(&near, bytes_str(known));
        if (!near.best.p && name.n && !strncmp(known, (const char *)name.p, name.n) && known[name.n] == '_')
            near.best = bytes_str(known); /* OBKV_PASSWORD */
    }
    if (near.best.p) return near_name_text(&near, "OBKV_", out);
    if (!option_of(o, name, option)) return NULL;
    snprintf(out, NEAR_NAME_MAX + 80, "; give --%s, or write it into a file for --config", option);
    return out;
}

void opt_unread_variables(const struct options *o, void (*say)(void *arg, const char *variable, const char *meant), void *arg) {
    static const char prefix[] = "OBKV_";
    for (char **e = environ; e && *e; e++) {
        char variable[NEAR_NAME_MAX + 1], meant[NEAR_NAME_MAX + 80];
        size_t n = strcspn(*e, "="), i = 0;
        if (n < sizeof prefix || n > NEAR_NAME_MAX || strncasecmp(*e, prefix, sizeof prefix - 1)) continue;
        while (i < countof(variables) && (strlen(variables[i].variable) != n || strncmp(variables[i].variable, *e, n))) i++;
        if (i < countof(variables) || !meaning_of(o, bytes_of(*e + sizeof prefix - 1, n - (sizeof prefix - 1)), meant)) continue;
        say(arg, plain_text(bytes_of(*e, n), variable, sizeof variable), meant);
    }
}
