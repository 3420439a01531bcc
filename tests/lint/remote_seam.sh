#!/bin/sh
# Inputs may lie on a server: their files here have a length and no content (libsst/base/remote.h). So what reads bytes of inputs
# goes through remote_read_at, remote_read_next, an instream or hfile_bytes. Only these call the system for it:
#   base/remote.c, base/instream.c, hfile/block.c    the seam, and what has asked it before
#   base/outfile.c, base/link_file.c                 copies of files of a local base
#   archive/archive_tree_open.c                      side files that it has unpacked itself
#   cmd/oceanbase/                                   files of loads, which are local, and a pipe of its own
#   cmd/common/command_line.c                        /proc/self
own='^(libsst/(base/(remote|instream|outfile|link_file)|hfile/block)|formats/archive/archive_tree_open|formats/remote/remote_body'
own="$own|cmd/common/command_line)\\.c:"
calls='p?readv?2?|preadv2?|pread64|fread|fgets|fgetc|getc|getline|getdelim|fscanf|sendfile|copy_file_range|splice'
offenders() {
    LC_ALL=C grep -rnE "(^|[^a-zA-Z0-9_>.])($calls)\\(" --include='*.c' libsst formats cmd | grep -vE "$own|^cmd/oceanbase/" |
        grep -vE '^[^:]*:[0-9]*: *(/?\*|//)' | sed 's/^\([^:]*:[0-9]*\):.*/\1: reads a file, but not through base\/remote.h/'
    LC_ALL=C grep -rnE '\bmmap\(' --include='*.c' libsst formats cmd | grep -vE 'MAP_ANONYMOUS|^libsst/sort/gather_put\.c:' |
        sed 's/^\([^:]*:[0-9]*\):.*/\1: maps a file: those of servers have no content/'
}
offenders | grep . && exit 1
exit 0
