/* Notes which families a selection was asked about. */
#ifndef SELECT_FAMILIES_ASKED_H
#define SELECT_FAMILIES_ASKED_H

#include "base/bytes.h"
#include "select/selection_state.h"

/* The families that selection_family or a selector was asked of, in order. Only while no other thread asks. */
const struct bytes *selection_families(const struct selection *s, size_t *n);
/* Steps through the families that items name and that none of them is. *at begins with 0; false: there are no more. */
bool selection_absent(const struct selection *s, size_t *at, struct bytes *name);

/* Initialises the list; false: there is no lock. */
bool family_list_init(struct family_list *l);
void family_list_free(struct family_list *l);
/* The name as kept, which lives as long as the list; p == NULL: there is no room or no memory for it. */
struct bytes family_list_note(struct family_list *l, struct bytes name);

#endif
