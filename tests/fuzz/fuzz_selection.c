/* libFuzzer target: lines of any bytes as the options of a selection, the first byte of each says which; then a row is
 * selected by it, and by the same choice of the result: what is taken and what is left must be all there was. */
#include "cell/keyvalue.h"
#include "fuzz.h"

#include "select/selection.h"
#include "select/selection_make.h"
#include "select/selector.h"

static int keep_value(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
                      struct selection_fault *why, struct err *err) {
    (void)arg, (void)memory, (void)part, (void)why, (void)err;
    *value = c->value.n % 2 ? (struct bytes){0} : c->value;
    return 1;
}

static int add(struct selection *s, char kind, const char *text, struct err *err) {
    static const struct mask_ops ops = {.run = keep_value};
    const char *how;
    switch (kind) {
    case 'f': return selection_add_families(s, text, err);
    case 'r': return selection_add_rows(s, text, err);
    case 'p': return selection_add_prefix(s, text, err);
    case 'q': return selection_add_qualifiers(s, text, err);
    case 'm': return selection_mask_how(text, &how, err) || selection_add_mask(s, text, &ops, NULL, err) ? -1 : 0;
    default: selection_set_sample(s, 0.5); return 0;
    }
}

static void select_some(const struct selection *s, const uint8_t *data, size_t size) {
    struct err err = {0};
    struct selection_fault why;
    struct cell cells[3] = {
        {.qualifier = bytes_of(data, size / 2), .value = bytes_of(data, size % 5), .ts_ms = 5, .type = CELL_PUT},
        {.qualifier = bytes_of(data, size), .ts_ms = INT64_MAX, .type = CELL_PUT},
        {.qualifier = bytes_of("", 0), .ts_ms = 7, .type = CELL_DELETE_FAMILY}};
    struct row_part part = {.row = bytes_of(data, size), .family = bytes_str("cf"), .cells = cells, .n_cells = 3}, out;
    struct tally left = {0};
    struct selector *one = selector_new(s, 9, &err);
    require(one != NULL && selector_begin(one, part.n_cells, &err) == 0);
    int rc = selector_take(one, &part, &out, &left, &why, &err);
    require(rc == 0 || rc == 1);
    require((rc ? out.n_cells : 0) + left.cells == part.n_cells);
    selector_free(one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct err err = {0};
    struct selection *s = selection_new(&err);
    char text[512];
    require(s != NULL);
    int rc = 0;
    for (size_t at = 0; !rc && at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end ? (size_t)(end - data) - at : size - at;
        size_t keep = n ? n - 1 : 0;
        if (keep >= sizeof text) keep = sizeof text - 1;
        memcpy(text, data + at + (n > 0), keep);
        text[keep] = 0;
        if (n) rc = add(s, (char)data[at], text, &err);
        at += n + 1;
    }
    if (!rc) rc = selection_end(s, &err);
    require(!rc || err.code == ERR_USAGE);
    if (!rc) {
        struct selection *result = selection_of_result(s, &err);
        require(result != NULL);
        select_some(s, data, size < 40 ? size : 40);
        select_some(result, data, size < 40 ? size : 40);
        selection_free(result);
    }
    selection_free(s);
    return 0;
}
