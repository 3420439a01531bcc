/* --config: options from a file instead of from the command line, as git and curl read theirs. A line is `name = value`, the name
 * that of an option; a flag needs no value. Lines that begin with # or ; are comments. A line below [obkv-load] or
 * [obkv-verify diff] is for that program or command alone.
 *
 * The file is read as a whole, and every line is checked, also of sections for others; opt.c applies the lines and refuses names
 * that no option has. */
#include "cmd/common/opt_config.h"

#include "cmd/common/opt_programs.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/near_name.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20 };

#define SHOW(b) (int)((b).n > 60 ? 60 : (b).n), (const char *)(b).p

/* Parts of a file, by whose lines follow. */
enum part { PART_ALL, PART_OWN, PART_OTHER };

struct config_walk {
    struct opt_config *c;
    const char *program, *command;
    enum part part;
    unsigned line;
    struct err *err;
};

static struct bytes without_cr(struct bytes b) {
    if (b.n && b.p[b.n - 1] == '\r') b.n--;
    return bytes_trim(b);
}

/* A mistyped section would be one for others, and count for nothing. */
static int check_section(const struct config_walk *w, struct bytes program, struct bytes command) {
    char meant[NEAR_NAME_MAX + 48];
    if (!opt_is_program(program))
        return err_set(w->err, ERR_USAGE, "%s:%u: [%.*s]: there is no such program%s", w->c->path, w->line, SHOW(program),
                       opt_program_meant(program, meant));
    if (!command.n || opt_is_command(program, command)) return 0;
    return err_set(w->err, ERR_USAGE, "%s:%u: [%.*s %.*s]: there is no such command%s", w->c->path, w->line, SHOW(program),
                   SHOW(command), opt_command_meant(program, command, meant));
}

/* [program] or [program command] */
static int take_section(struct config_walk *w, struct bytes line) {
    struct bytes name = bytes_trim(bytes_of(line.p + 1, line.n - 1)), command = {0};
    if (!name.n || name.p[name.n - 1] != ']')
        return err_set(w->err, ERR_USAGE, "%s:%u: a section is written [obkv-import] or [obkv-verify diff]", w->c->path, w->line);
    name = bytes_trim(bytes_of(name.p, name.n - 1));
    const uint8_t *blank = name.n ? memchr(name.p, ' ', name.n) : NULL;
    if (blank) {
        command = bytes_trim(bytes_of(blank, name.n - (size_t)(blank - name.p)));
        name.n = (size_t)(blank - name.p);
    }
    if (check_section(w, name, command)) return -1;
    bool own = bytes_eq(name, bytes_str(w->program));
    if (command.n) own = own && w->command && bytes_eq(command, bytes_str(w->command));
    w->part = own ? PART_OWN : PART_OTHER;
    return 0;
}

static bool is_name(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if ((b.p[i] < 'a' || b.p[i] > 'z') && (b.p[i] < '0' || b.p[i] > '9') && b.p[i] != '-') return false;
    return b.n && b.p[0] != '-';
}

/* Quotes around a value keep its blanks. */
static struct bytes unquoted(struct bytes v) {
    if (v.n < 2 || v.p[0] != '"' || v.p[v.n - 1] != '"') return v;
    return bytes_of(v.p + 1, v.n - 2);
}

static char *copy_of(struct bytes b, struct err *err) {
    char *s = strndup((const char *)b.p, b.n);
    if (!s) err_nomem(err, b.n, "a configuration file");
    return s;
}

static int take_setting(struct config_walk *w, struct bytes line) {
    const uint8_t *equals = memchr(line.p, '=', line.n);
    struct bytes name = bytes_trim(equals ? bytes_of(line.p, (size_t)(equals - line.p)) : line);
    struct opt_config *c = w->c;
    if (name.n > 2 && name.p[0] == '-' && name.p[1] == '-')
        return err_set(w->err, ERR_USAGE, "%s:%u: write \"%.*s\" without the dashes", c->path, w->line, SHOW(name));
    if (!is_name(name))
        return err_set(w->err, ERR_USAGE, "%s:%u: \"%.*s\" is no option: a line is NAME = VALUE, with the long name of an option",
                       c->path, w->line, SHOW(name));
    if (w->part == PART_OTHER) return 0;
    if (grow_array(&c->items, c->n, sizeof *c->items, "a configuration file", w->err)) return -1;
    struct opt_setting *item = &c->items[c->n++];
    *item = (struct opt_setting){.line = w->line, .own = w->part == PART_OWN};
    if (!(item->name = copy_of(name, w->err))) return -1;
    if (!equals) return 0;
    struct bytes value = unquoted(bytes_trim(bytes_of(equals + 1, (size_t)(line.p + line.n - equals) - 1)));
    return (item->value = copy_of(value, w->err)) ? 0 : -1;
}

int opt_config_parse(struct opt_config *c, const char *path, struct bytes text, const char *program, const char *command,
                     struct err *err) {
    struct config_walk w = {c, program, command, PART_ALL, 0, err};
    c->path = path;
    text = bytes_without_mark(text);
    if (text.n && memchr(text.p, 0, text.n)) return err_set(err, ERR_USAGE, "%s: is no text: there is a zero byte in it", path);
    while (text.n) {
        const uint8_t *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        struct bytes line = without_cr(bytes_of(text.p, n));
        w.line++;
        text = bytes_of(text.p + n + (end != NULL), text.n - n - (end != NULL));
        if (!line.n || line.p[0] == '#' || line.p[0] == ';') continue;
        if (line.p[0] == '[' ? take_section(&w, line) : take_setting(&w, line)) return -1;
    }
    return 0;
}

int opt_config_load(struct opt_config *c, const char *path, const char *program, const char *command, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    if (!text) return err_prefix(err, "--config");
    int rc = opt_config_parse(c, path, bytes_of(text, n), program, command, err);
    free(text);
    return rc;
}

void opt_config_free(struct opt_config *c) {
    for (size_t i = 0; i < c->n; i++) {
        free(c->items[i].name);
        free(c->items[i].value);
    }
    free(c->items);
    *c = (struct opt_config){0};
}
