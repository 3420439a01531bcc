/* The limit of open files of this process. Exports: open_files */
#ifndef BASE_OPEN_FILES_H
#define BASE_OPEN_FILES_H

#include <stdint.h>

/* Raises the soft limit to the hard one, which any process may do. Returns the soft limit as it was; 0: nothing was raised. */
uint64_t open_files_raise(void);
/* Returns how many files may be open at once; UINT64_MAX: the system does not say. */
uint64_t open_files_limit(void);

#endif
