/* Options of ImportTsv, obloader and the mysql client, as their users type them here. */
#ifndef CMD_COMMON_OPT_PEERS_H
#define CMD_COMMON_OPT_PEERS_H

#include <stddef.h>

enum { OPT_PEERS_BYTES = 240 };

/* Writes the form with the value in place of each %, and % for %%; what does not fit is cut. */
const char *opt_peers_fill(const char *form, const char *value, char *out, size_t bytes);

/* Returns what does the work of this word here, with its value (next: the word after it, or NULL), into out; NULL: no peer has
 * such an option. */
const char *opt_peers(const char *word, const char *next, char out[OPT_PEERS_BYTES]);

#endif
