#include "formats/hbase/attribute_list.h"

#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/attributes.h"

#include <stdlib.h>

static bool is_text(struct bytes b) {
    return b.n <= ATTRIBUTE_TEXT_MAX_BYTES && !memchr(b.n ? b.p : (const uint8_t *)"x", 0, b.n ? b.n : 1);
}

static int add(struct attribute_list *l, struct bytes name, struct bytes value, struct err *err) {
    if (grow_array(&l->p, l->n, sizeof *l->p, "attributes", err)) return -1;
    struct attribute_text *p = l->p;
    p[l->n] = (struct attribute_text){strndup((const char *)name.p, name.n),
                                      value.n ? strndup((const char *)value.p, value.n) : strdup("")};
    l->n++;
    return p[l->n - 1].name && p[l->n - 1].value ? 0 : err_nomem(err, name.n + value.n + 2, "attributes");
}

int attribute_list_add(struct attribute_list *l, struct bytes message, uint32_t field, struct err *err) {
    struct pbwire_field f;
    struct bytes name, value;
    while (pbwire_next(&message, &f) == 1) {
        if (f.number != field || f.type != PBWIRE_BYTES || !attribute_pair(f.bytes, &name, &value)) continue;
        if (!name.n || !is_text(name) || !is_text(value) || l->n == ATTRIBUTE_LIST_MOST) continue;
        if (add(l, name, value, err)) return -1;
    }
    return 0;
}

void attribute_list_free(struct attribute_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        free(l->p[i].name);
        free(l->p[i].value);
    }
    free(l->p);
    *l = (struct attribute_list){0};
}
