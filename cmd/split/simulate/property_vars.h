/* ${name} in values, as Hadoop's Configuration puts other values in their place when it is asked for them:
 *   ${env.X} the environment; ${env.X-word} word where X is not set, ${env.X:-word} where it is not set or empty
 *   ${other} the value of that property, in which further ones may stand: 20 in all. What is not known stays
 *   as it stands, and so does all after it. A value in which a name would come back stays as it was. System properties of
 *   Java and values that only hbase-default.xml gives are not known here. */
#ifndef SIMULATE_PROPERTY_VARS_H
#define SIMULATE_PROPERTY_VARS_H

#include "cmd/split/simulate/settings.h"

/* In all values of l. env: NULL where the variable is not set. More than 20 in one value are ERR_USAGE, as they end HBase. */
int property_vars_substitute(struct property_list *l, const char *(*env)(const char *name), struct err *err);

#endif
