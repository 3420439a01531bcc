/* libarchive asks for as much memory as a cpio header says its name has bytes; it is not given these bytes, so it never touches
 * the memory. libFuzzer would stop at the asking. */
#ifndef FUZZ_LARGE_MALLOC_H
#define FUZZ_LARGE_MALLOC_H

#include "fuzz.h"

#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    enum { ARGS_MAX = 64 };
    static char option[] = "-malloc_limit_mb=8192";
    static char *args[ARGS_MAX];
    if (*argc >= ARGS_MAX - 1) return 0;
    memcpy(args, *argv, (size_t)*argc * sizeof *args);
    args[(*argc)++] = option;
    *argv = args;
    return 0;
}

#endif
