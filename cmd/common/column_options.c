#include "cmd/common/column_options.h"

#include "formats/formats.h"
#include "formats/mapping/colmap.h"

#include <string.h>
#include <sys/stat.h>

struct mapping *column_options_mapping(const struct options *o, struct err *err) {
    const struct mapping_defaults d = {.header = o->in.header, .skip_empty = o->in.skip_empty};
    if (!o->in.columns) return mapping_load(o->in.map, &d, err);
    err_set(err, ERR_USAGE, "--map and --columns both say what columns become: give one of them");
    return NULL;
}

/* Families known beforehand are the table's, and memory is shared out for as many. */
static int families_of_columns(const struct options *from, struct table *t, struct err *err) {
    struct shape_set shapes = {0};
    struct colmap map;
    const struct bytes no_names = {0};
    struct colmap_opts o = {.columns = from->in.columns,
                            .header = from->in.header ? &no_names : NULL,
                            .empty_input = true,
                            .table = t,
                            .open_families = true,
                            .shapes = &shapes};
    int rc = colmap_parse(&map, &o, err);
    if (!rc) colmap_free(&map);
    shape_set_free(&shapes);
    return rc;
}

/* 1 = some come from the data. */
static int families_of_mapping(const struct mapping *m, struct table *t, struct err *err) {
    bool from_data = false;
    for (uint32_t i = 0; i < m->n_sources; i++) {
        const struct mapping_source *source = &m->sources[i];
        for (uint32_t r = 0; r < source->n_rows; r++) {
            for (uint32_t k = 0; k < source->rows[r].n_cells; k++) {
                const struct mapping_cell *c = &source->rows[r].cells[k];
                from_data |= !c->fixed_family;
                if (!c->fixed_family || table_family(t, c->family_name) >= 0) continue;
                if (table_add_family(t, c->family_name, err)) return -1;
            }
        }
    }
    return from_data;
}

int column_options_families(const struct options *o, const struct mapping *m, struct table *t, bool *open, struct err *err) {
    int rc = o->in.columns ? families_of_columns(o, t, err) : m ? families_of_mapping(m, t, err) : 1;
    *open = rc == 1 || !t->n_families;
    return rc < 0 ? -1 : 0;
}

const char *column_options_given(const struct options *o) {
    const struct {
        bool given;
        const char *option;
    } all[] = {
        {o->in.columns != NULL, "--columns"},   {o->in.map != NULL, "--map"},   {o->in.header, "--header"},
        {o->in.delimiter != -1, "--delimiter"}, {o->in.quote != -1, "--quote"}, {o->in.null_text != NULL, "--null"},
        {o->in.skip_empty, "--skip-empty"},
    };
    for (size_t i = 0; i < countof(all); i++)
        if (all[i].given) return all[i].option;
    return NULL;
}

/* By its first bytes a file on disk is an HFile or a SequenceFile for sure; all others are looked at when they are read. */
static bool looks_binary(const char *path) {
    enum { WINDOW_BYTES = 1 << 20 };
    struct stat st;
    struct content c;
    struct err none = {0};
    if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    return !format_content(path, WINDOW_BYTES, &c, &none) && c.format && !c.format->is_text;
}

static bool may_be_text(const struct load_input *in) {
    static const char *const others[] = {"hfile", "seqfile", "cells"};
    if (!in->format_name) return !looks_binary(in->path);
    for (size_t i = 0; i < countof(others); i++)
        if (!strcmp(in->format_name, others[i])) return false;
    return true;
}

int column_options_wanted(const struct options *o, const struct input_list *in, struct err *err) {
    const char *option = column_options_given(o);
    if (!option) return 0;
    for (uint32_t i = 0; i < in->n; i++)
        if (may_be_text(&in->inputs[i])) return 0;
    return err_set(err, ERR_USAGE, "%s is about CSV and TSV: no input is such text", option);
}
