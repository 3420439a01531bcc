/* The table of all options: from it they are read, and --help is printed. */
#ifndef OPT_ROWS_H
#define OPT_ROWS_H

#include <stddef.h>

enum opt_kind { FLAG, TEXT, TRY, SETTING, SIZE, COUNT, TIME, BYTE, QUOTE, SIDE_A, SIDE_B, HELP, VERSION };

struct opt_row {
    const char *name;
    char letter; /* 0 = none */
    enum opt_kind kind;
    unsigned tools;
    size_t at;    /* field of struct options */
    size_t given; /* bool field that says so; 0 = none */
    const char *arg, *help;
};

/* A name may have several rows, for tools that mean another thing by it. */
extern const struct opt_row opt_rows[];
extern const size_t opt_n_rows; /* at most OPT_ROWS_MAX */

#endif
