#!/bin/sh
# No result is ignored: neither of a function that takes `struct err *`, nor of a call of the system that can fail (the list
# below). It is used, or (void) says that it is not needed; for a call of the system a comment on the line or above says why. Nor
# does a comma throw a value away, outside the head of a for. The attribute that asks for this is added to a copy of the sources,
# and to declarations that only clang's front end reads.
#
# Not in the list, because they cannot fail as they are used here: mutexes, conditions and their attributes without flags,
# pthread_join of a thread that was started, pthread_sigmask and sets of signals, clock_gettime of clocks that all kernels have,
# nanosleep (a pause cut short), dlclose. printf, puts, fputs and putchar: report_flush looks at stdout once, at the end of a run.
make -s -j"$(nproc)" all >/dev/null 2>&1 || { echo "the programs do not build"; exit 1; }
lists=$PWD/build/release # gen/: made by the build
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r libsst formats cmd "$work" || exit 1
calls="close fclose fflush fwrite fread fseek fseeko setvbuf read write pread pwrite lseek fcntl ioctl flock dup2 pipe2
    unlink unlinkat remove rename renameat renameat2 link linkat symlink mkdir mkdirat rmdir stat lstat fstat fstatat chmod fchmod
    futimens utimensat closedir truncate ftruncate fallocate posix_fallocate posix_fadvise fsync fdatasync sync_file_range
    mmap munmap mprotect madvise mlock setrlimit getrlimit prctl signal sigaction sigprocmask kill waitpid poll
    socket bind listen connect shutdown send recv setsockopt getsockopt setenv unsetenv atexit on_exit
    pthread_create pthread_attr_init pthread_attr_setstacksize pthread_setspecific statvfs fstatvfs"
{
    echo '#include <dirent.h>'
    for h in fcntl poll pthread signal stdio stdlib sys/file sys/ioctl sys/mman sys/prctl sys/resource sys/socket sys/stat \
        sys/statvfs sys/wait unistd; do echo "#include <$h.h>"; done
    for f in $calls; do echo "extern __typeof($f) $f __attribute__((warn_unused_result));"; done
} >"$work/calls.h"
bad=0
python3 - "$work" $calls <<'PYTHON' || bad=1
import pathlib
import re
import sys
TYPES = r"(?:int|bool|char \*|struct \w+ \*|unsigned|u?int64_t)"
TAKES = r"[^;{}]*(?<!const )struct err \*\w+\)"
MARK = "__attribute__((warn_unused_result))"
DROPPED = re.compile(r"\(void\)!?(?:%s)\(" % "|".join(sys.argv[2:]))
marked = bare = 0
for path in pathlib.Path(sys.argv[1]).rglob("*.[ch]"):
    text = path.read_text()
    lines = text.splitlines()
    told = False  # by a comment above, which also counts for the next calls
    for i, line in enumerate(lines):
        dropped = DROPPED.search(line)
        told = bool(dropped and told) or "*/" in line
        if dropped and not told:
            print("%s:%d: a result is dropped without a word on why" % (path.relative_to(sys.argv[1]), i + 1))
            bare += 1
    text, declared = re.subn(r"(?m)^(%s\s?\w+\(%s)((?: __attribute__\(\([^;]*\)\))?;)" % (TYPES, TAKES), r"\1 %s\2" % MARK, text)
    text, defined = re.subn(r"(?m)^(static %s\s?\w+\(%s \{)" % (TYPES, TAKES), r"%s \1" % MARK, text)
    path.write_text(text)
    marked += declared + defined
sys.exit("only %d functions were found" % marked if marked <= 1000 else bare > 0)
PYTHON
cd "$work" || exit 1
found=$(find libsst formats cmd -name '*.c' |
    xargs -P "$(nproc)" -n 12 clang -Wno-everything -Wunused-result -Wcomma -fsyntax-only -std=gnu11 -D_GNU_SOURCE -fopenmp \
        -include calls.h -Ilibsst -Ilibsst/include -I. -I"$lists" 2>&1 | grep -E 'warning:|error:' | sort -u)
[ -z "$found" ] || { printf '%s\n' "$found" | sed 's/ of function declared with.*//'; bad=1; }
exit $bad
