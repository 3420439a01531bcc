/* Options that a file holds (--config): which lines are for this program, and where they are. */
#ifndef CMD_COMMON_OPT_CONFIG_H
#define CMD_COMMON_OPT_CONFIG_H

#include "base/bytes.h"
#include "base/err.h"

/* A line that is for this program, or for all. */
struct opt_setting {
    char *name, *value; /* value NULL: there is no '=' */
    unsigned line;
    bool own; /* in a section of this program: it must be an option of it */
};

/* Zero-initialise. */
struct opt_config {
    const char *path; /* borrowed */
    struct opt_setting *items;
    size_t n;
};

/* command NULL: the program has none. ERR_USAGE names file and line. *c must be freed, whatever is returned. */
int opt_config_parse(struct opt_config *c, const char *path, struct bytes text, const char *program, const char *command,
                     struct err *err);
int opt_config_load(struct opt_config *c, const char *path, const char *program, const char *command, struct err *err);
void opt_config_free(struct opt_config *c);

#endif
