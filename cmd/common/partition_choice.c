/* --partitions: the partitions that a run reads, by name, by number, or as one of M shares, such as 3/7: every seventh partition
 * from the third on, as obkv-split join and obkv-compact divide them. So several runs export, check, load or compare a dataset,
 * and each partition is in one of them. */
#include "cmd/common/table_options.h"

#include "base/text.h"
#include "cmd/common/input_shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a partition by its name, else by its number; UINT32_MAX: no such partition. */
static uint32_t find_partition(const struct partitioning *p, struct bytes text) {
    u128 number;
    for (uint32_t i = 0; i < p->count; i++)
        if (bytes_eq(bytes_str(p->names[i]), text)) return i;
    return decimal_parse_u128(text, &number) && number < p->count ? (uint32_t)number : UINT32_MAX;
}

/* J/M. A partition may have such a name. */
static int choose_share(const struct partitioning *p, struct bytes text, bool *chosen, struct err *err) {
    char share[32];
    uint32_t number, of;
    if (text.n >= sizeof share) return err_set(err, ERR_USAGE, "--partitions: expected J/M, such as 3/7");
    snprintf(share, sizeof share, "%.*s", (int)text.n, (const char *)text.p);
    if (shard_number_parse("partitions", share, &number, &of, err)) return -1;
    for (uint32_t i = number - 1; i < p->count; i += of) chosen[i] = true;
    return 0;
}

static int choose_listed(const struct partitioning *p, const char *list, const char *what, bool *chosen, struct err *err) {
    for (const char *at = list;; at++) {
        const char *end = strchrnul(at, ',');
        const struct bytes text = bytes_of(at, (size_t)(end - at));
        uint32_t i = find_partition(p, text);
        if (i < p->count)
            chosen[i] = true;
        else if (memchr(text.p, '/', text.n)) {
            if (choose_share(p, text, chosen, err)) return -1;
        } else
            return err_set(err, ERR_USAGE, "--partitions: %s has no partition '%.*s': it has %u, from %s to %s", what,
                           (int)(end - at), at, p->count, p->names[0], p->names[p->count - 1]);
        if (!*(at = end)) return 0;
    }
}

int partition_options_choose(const struct opt_list *asked, const struct partitioning *p, const char *what, bool **chosen,
                             struct err *err) {
    *chosen = NULL;
    if (!asked->n) return 0;
    if (!(*chosen = calloc(p->count, sizeof **chosen))) return err_nomem(err, p->count, "partitions");
    for (unsigned i = 0; i < asked->n; i++)
        if (choose_listed(p, asked->item[i], what, *chosen, err)) return -1;
    return 0;
}
