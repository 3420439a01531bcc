/* Notes for which families a selection was asked: those that the inputs have, taken or not, by what readers, mappings and names
 * of directories say of them. So a warning can name them when none of them is the one that an option names. Each name is noted
 * once; a selector asks again only when the family is another one than that of the part before it. */

#include "base/text.h"
#include "select/families_asked.h"
#include "select/selection_state.h"

#include <stdlib.h>

bool family_list_init(struct family_list *l) {
    return (l->locked = !pthread_mutex_init(&l->lock, NULL));
}

void family_list_free(struct family_list *l) {
    for (size_t i = 0; i < l->n; i++) free((void *)l->names[i].p);
    if (l->locked) pthread_mutex_destroy(&l->lock);
}

static struct bytes find(const struct family_list *l, struct bytes name) {
    for (size_t i = 0; i < l->n; i++)
        if (bytes_eq(l->names[i], name)) return l->names[i];
    return (struct bytes){0};
}

struct bytes family_list_note(struct family_list *l, struct bytes name) {
    pthread_mutex_lock(&l->lock);
    struct bytes kept = find(l, name);
    uint8_t *copy = !kept.p && name.n && l->n < FAMILIES_MOST ? malloc(name.n) : NULL;
    if (copy) {
        memcpy(copy, name.p, name.n);
        kept = l->names[l->n++] = bytes_of(copy, name.n);
    }
    if (!kept.p) l->more = true;
    pthread_mutex_unlock(&l->lock);
    return kept;
}

static int by_name(const void *a, const void *b) {
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

const struct bytes *selection_families(const struct selection *s, size_t *n) {
    struct family_list *l = s->asked;
    qsort(l->names, l->n, sizeof *l->names, by_name);
    *n = l->n;
    return l->names;
}

/* The family that an item of the options names; p == NULL: it names none. */
static struct bytes family_of_item(const struct selection *s, size_t i) {
    if (i < s->n_families) return s->families[i].name;
    i -= s->n_families;
    if (i < s->n_renames) return s->renames[i].name;
    i -= s->n_renames;
    return i < s->n_columns ? s->columns[i].family : s->masks[i - s->n_columns].family;
}

bool selection_absent(const struct selection *s, size_t *at, struct bytes *name) {
    while (*at < s->n_met && !s->asked->more) {
        *name = family_of_item(s, (*at)++);
        if (name->p && !find(s->asked, *name).p) return true;
    }
    return false;
}
