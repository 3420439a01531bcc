/* All functions, by the files they are in. */
#include "formats/mapping/expr_program.h"

static const struct expr_functions *const families[] = {&expr_text_functions, &expr_number_functions, &expr_hash_functions,
                                                        &expr_code_functions, &expr_time_functions,   &expr_test_functions};

/* The n-th of all; NULL behind the last. */
static const struct expr_function *function_at(size_t n) {
    for (size_t i = 0; i < countof(families); i++) {
        if (n < families[i]->n) return &families[i]->list[n];
        n -= families[i]->n;
    }
    return NULL;
}

const struct expr_function *expr_function_find(struct bytes name) {
    const struct expr_function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        if (bytes_eq(name, bytes_str(f->name))) return f;
    return NULL;
}
