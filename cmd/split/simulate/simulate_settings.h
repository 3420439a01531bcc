/* What an emulated cluster goes by: hbase-site.xml, the descriptor of the table among the inputs, and --set. */
#ifndef SIMULATE_SIMULATE_SETTINGS_H
#define SIMULATE_SIMULATE_SETTINGS_H

#include "cmd/common/session.h"
#include "cmd/split/simulate/settings.h"

/* Once all families are known. ERR_USAGE names what is wrong. *out is to be freed whatever is returned. */
int simulate_settings_make(const struct session *s, const struct input_list *in, struct sim_settings *out, struct err *err);

#endif
