/* The section "What to do next" of a page: the table that the page is about as SQL, and the commands that follow, all to be
 * copied. A word of a command is quoted where a shell needs it. */
#include "cmd/common/html/page.h"
#include "cmd/common/html/page_next.h"
#include "cmd/common/html/page_origin.h"
#include "cmd/common/options.h"

#include <stdio.h>

void page_next_begin(struct page *p, const char *lead, const char *sql) {
    page_section(p, "next", "What to do next", NULL);
    page_raw(p, "<p>");
    page_text(p, lead);
    page_raw(p, "</p>\n");
    if (*sql) page_copy(p, sql);
}

void page_next_end(struct page *p) {
    page_section_end(p);
}

static void put_words(struct buf *out, const char *const *words, struct page *p) {
    for (; *words && !p->err.code; words++)
        if (!out->n || !buf_put_byte(out, ' ', &p->err)) (void)command_word_put(out, *words, &p->err);
}

static void put_command(struct page *p, const char *why, struct buf *command) {
    if (why) {
        page_raw(p, "<p>");
        page_text(p, why);
        page_raw(p, "</p>\n");
    }
    if (!p->err.code && !buf_put_byte(command, 0, &p->err)) page_copy(p, (const char *)command->p);
}

void page_next_command(struct page *p, const char *why, const char *const *words) {
    struct buf command = {0};
    put_words(&command, words, p);
    put_command(p, why, &command);
    buf_free(&command);
}

static void put_option(struct buf *out, const char *name, const char *value, struct page *p) {
    char option[64];
    snprintf(option, sizeof option, "--%s", name);
    put_words(out, (const char *const[]){option, value, NULL}, p);
}

static bool is_of(const struct opt_group *g, const struct opt_row *row) {
    size_t i = 0;
    while (i < g->n && &g->rows[i] != row) i++;
    return i < g->n;
}

/* Adds the options of a group that were given, as they were given, so that the next command reads the same. */
static void put_given(struct buf *out, const struct opt_group *g, const struct options *o, struct page *p) {
    for (unsigned i = 0; i < o->given.n; i++) {
        const struct opt_row *row = o->given.list[i].row;
        if (!is_of(g, row)) continue;
        const struct opt_list *list = (const struct opt_list *)(const void *)((const uint8_t *)o + g->at + row->at);
        for (unsigned k = 0; k < (row->kind == OPT_LIST ? list->n : 1); k++)
            put_option(out, row->name, row->kind == OPT_LIST ? list->item[k] : o->given.list[i].value, p);
    }
}

void page_next_read(struct page *p, const char *why, const char *const *words, const struct options *o) {
    struct buf command = {0};
    put_words(&command, words, p);
    put_given(&command, &opt_input, o, p);
    put_given(&command, &opt_text, o, p);
    put_given(&command, &opt_names, o, p);
    if (o->in.key) put_option(&command, "key", o->in.key, p);
    put_given(&command, &opt_selection, o, p);
    for (int i = 0; i < o->n_inputs; i++) put_words(&command, (const char *const[]){o->inputs[i], NULL}, p);
    put_command(p, why, &command);
    buf_free(&command);
}

void page_next_import(struct page *p, const struct options *o, const char *ddl) {
    page_next_read(p, "Import the data with it:", (const char *const[]){"obkv-import", "--ddl", ddl, "-o", "DATASET", NULL}, o);
}
