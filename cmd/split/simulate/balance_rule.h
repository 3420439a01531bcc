/* When regions are moved between servers, by their number alone. Pure. Sources: BaseLoadBalancer.idleRegionServerExist and
 * sloppyRegionServerExist, SimpleLoadBalancer.balanceTable for one table, HBase 2.6. */
#ifndef SIMULATE_BALANCE_RULE_H
#define SIMULATE_BALANCE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* regions: of each of n servers. */
bool balance_rule_applies(const uint32_t *regions, uint32_t n, double slop);
/* The next move: from the fullest server to the emptiest. false: they differ by one at most. */
bool balance_rule_next(const uint32_t *regions, uint32_t n, uint32_t *from, uint32_t *to);

#endif
