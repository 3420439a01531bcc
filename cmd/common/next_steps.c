/* Makes the part "next" of results of planning: SQL and commands to be copied. A command that reads the inputs again takes the
 * options that were given for them, as they were given, so that it reads the same. */
#include "cmd/common/next_steps.h"

#include "cmd/common/command_line.h"
#include "cmd/common/options.h"
#include "cmd/common/output_text.h"

#include <stdio.h>

json_t *next_steps_new(const char *lead, const char *sql) {
    return json_pack("{s:o, s:o, s:[]}", "lead", json_text(lead), "sql", sql ? json_text(sql) : json_null(), "steps");
}

/* Frees command. rc: whether it is whole. */
static int add_command(json_t *next, const char *why, struct buf *command, int rc, struct err *err) {
    if (!rc) rc = buf_put_byte(command, 0, err);
    if (!rc &&
        json_array_append_new(json_object_get(next, "steps"), json_new(JSON("why", why ? json_text(why) : json_null()),
                                                                       JSON("command", json_text((const char *)command->p)))))
        rc = err_nomem(err, 0, "the next steps");
    buf_free(command);
    return rc;
}

int next_steps_add(json_t *next, const char *why, const char *const *words, struct err *err) {
    struct buf command = {0};
    return add_command(next, why, &command, command_line_words(&command, words, err), err);
}

static int put_option(struct buf *out, const char *name, const char *value, struct err *err) {
    char option[64];
    snprintf(option, sizeof option, "--%s", name);
    return command_line_words(out, (const char *const[]){option, value, NULL}, err);
}

static bool is_of(const struct opt_group *g, const struct opt_row *row) {
    size_t i = 0;
    while (i < g->n && &g->rows[i] != row) i++;
    return i < g->n;
}

/* Adds the options of a group that were given. */
static int put_given(struct buf *out, const struct opt_group *g, const struct options *o, struct err *err) {
    for (unsigned i = 0; i < o->given.n; i++) {
        const struct opt_row *row = o->given.list[i].row;
        if (!is_of(g, row)) continue;
        const struct opt_list *list = (const struct opt_list *)(const void *)((const uint8_t *)o + g->at + row->at);
        for (unsigned k = 0; k < (row->kind == OPT_LIST ? list->n : 1); k++)
            if (put_option(out, row->name, row->kind == OPT_LIST ? list->item[k] : o->given.list[i].value, err)) return -1;
    }
    return 0;
}

int next_steps_read(json_t *next, const char *why, const char *const *words, const struct options *o, struct err *err) {
    const struct opt_group *const before[] = {&opt_input, &opt_text, &opt_names};
    struct buf command = {0};
    int rc = command_line_words(&command, words, err);
    for (unsigned i = 0; !rc && i < countof(before); i++) rc = put_given(&command, before[i], o, err);
    if (!rc && o->in.key) rc = put_option(&command, "key", o->in.key, err);
    if (!rc) rc = put_given(&command, &opt_selection, o, err);
    for (int i = 0; !rc && i < o->n_inputs; i++)
        rc = command_line_words(&command, (const char *const[]){o->inputs[i], NULL}, err);
    return add_command(next, why, &command, rc, err);
}

int next_steps_import(json_t *next, const struct options *o, const char *ddl, struct err *err) {
    return next_steps_read(
        next, "Import the data with it:", (const char *const[]){"obkv-import", "--ddl", ddl, "-o", "DATASET", NULL}, o, err);
}
