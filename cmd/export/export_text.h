/* Chooses the form of an export by its name. */
#ifndef CMD_EXPORT_EXPORT_TEXT_H
#define CMD_EXPORT_EXPORT_TEXT_H

#include "base/err.h"
#include "cmd/text/export_form.h"

/* name NULL: load files. NULL: there is no such form (ERR_USAGE). */
const struct export_form *export_text_form(const char *name, struct err *err);

#endif
