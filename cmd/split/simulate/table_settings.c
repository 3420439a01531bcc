#include "cmd/split/simulate/table_settings.h"

#include "base/fs.h"

#include <stdlib.h>

static int add_all(const struct attribute_list *from, const char *place, struct property_list *to, struct err *err) {
    for (size_t i = 0; i < from->n; i++)
        if (property_list_put(to, from->p[i].name, from->p[i].value, place, err)) return -1;
    return 0;
}

int table_settings_add(const struct hbase_table *t, struct property_list *table, struct property_list *families,
                       struct err *err) {
    if (add_all(&t->attributes, "the table's descriptor", table, err)) return -1;
    for (uint32_t i = 0; i < t->n_families; i++) {
        char *place = fs_printf(err, "the descriptor of family %s", t->families[i].name);
        int rc = place ? add_all(&t->families[i].attributes, place, &families[i], err) : -1;
        free(place);
        if (rc) return -1;
    }
    return 0;
}
