#!/bin/sh
# File names that say nothing, names used twice, tabs, carriage returns, trailing blanks, and code that hides its flow.
complain() { sed "s|\$|: $1|"; } # reads offenders from stdin
place() { sed 's/^\([^:]*:[0-9]*\):.*/\1/'; } # FILE:LINE:text -> FILE:LINE
sources=$(find $FOLDERS -name '*.[ch]' | sort)
all_checks() {
    printf '%s\n' $sources | grep -E '/(utils?|misc|common|helpers?|stuff|lib)\.[ch]$' |
        complain "a file name must name a thing"
    printf '%s\n' $sources | grep -v '^libsst/include/' | sed 's|.*/||' | sort | uniq -d |
        complain "file name used twice in the tree"
    printf '%s\n' $sources | sed 's|.*/||' | grep -vE '^[a-z][a-z0-9_]*\.[ch]$' | complain "file names are lower_snake"
    tab=$(printf '\t') cr=$(printf '\r')
    grep -Hn "$tab" $sources | place | complain "tab character"
    grep -Hnl "$cr" $sources | complain "carriage return"
    grep -HnE ' +$' $sources | place | complain "trailing blank"
    unsafe='strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atoll|alloca|setjmp|longjmp|rand|srand|tmpnam|mktemp'
    own=$(printf '%s\n' $sources | grep -v '^tests/')
    grep -HnE "\b($unsafe)\(" $own | place | complain "banned function"
    # manifest.c gives memory back: its text shrinks while it is read.
    grows=$(printf '%s\n' $own | grep -vx -e libsst/base/buf.c -e libsst/dataset/manifest.c)
    grep -HnE '\b(realloc|reallocarray)\(' $grows | place |
        complain "memory grows in base/buf.h: grow_array, grow_capacity, grow_to"
    grep -HnE '\bjob(->|\.)memory_bytes */' $(printf '%s\n' $own | grep -vx libsst/engine/memory_plan.c) | place |
        complain "memory is shared out in libsst/engine/memory_plan.c"
    grep -Hn '__builtin_prefetch' $(printf '%s\n' $own | grep -vx libsst/base/prefetch.h) | place |
        complain "only base/prefetch.h prefetches: what else does may be dropped by GCC"
    grep -HnE '^ *# *define.*\b(return|goto)\b' $sources | place | complain "a macro that jumps"
}
all_checks | grep . && exit 1
exit 0
