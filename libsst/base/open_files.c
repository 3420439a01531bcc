/* How many files a process may have open. Systems give a soft limit of 1,024, because programs that wait by select() cannot have
 * more, and a hard limit that is much higher. Merges open a file for each input and thread, so the soft limit is raised at the
 * start of a program, and everyone who opens many files asks here how many there may be. */
#include "base/open_files.h"

#include <sys/resource.h>

uint64_t open_files_raise(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= files.rlim_max) return 0;
    const uint64_t was = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &files) ? 0 : was;
}

uint64_t open_files_limit(void) {
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == RLIM_INFINITY ? UINT64_MAX : files.rlim_cur;
}
