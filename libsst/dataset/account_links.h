/* Finds out who wrote the inputs that an account names, and adds up their tallies. */
#ifndef DATASET_ACCOUNT_LINKS_H
#define DATASET_ACCOUNT_LINKS_H

#include "base/err.h"
#include "cell/keyvalue.h"
#include "dataset/account.h"
#include "dataset/manifest.h"

struct account_tallies {
    struct tally *all; /* sorted */
    size_t n;
};

int account_tally_order(const void *pa, const void *pb);
/* Returns how many files others list as its own: packs, where it has them. */
size_t account_files_of(const struct manifest *m);
int account_tallies_of_files(const struct manifest *m, struct account_tallies *t, struct err *err);
int account_tallies_of_input(const struct account_run *r, const struct account_input *in, struct account_tallies *t,
                             struct err *err);
/* Returns how many tallies a and b, both in order, have in common. */
size_t account_tallies_common(const struct account_tallies *a, const struct account_tallies *b);

/* Fills the run's inputs, edges and origins not known yet. */
int account_group_inputs(struct account_run *r, struct err *err);
int account_find_writers(struct account *a, struct err *err);
/* Sets the depth of each run, and counts its readers. false: runs read each other in a circle. */
bool account_set_depths(struct account *a);

#endif
