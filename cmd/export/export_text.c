#include "cmd/export/export_text.h"

#include "cell/cell.h"

static int put_cells(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    (void)hex; /* always */
    return cells_print(out, part, err);
}

const struct export_form export_kqvt = {.name = "kqvt"};
const struct export_form export_cells = {.name = "cells", .put = put_cells};

const struct export_form *export_form_by_name(const char *name) {
    static const struct export_form *const all[] = {&export_kqvt, &export_csv, &export_jsonl, &export_cells};
    for (size_t i = 0; i < countof(all); i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}
