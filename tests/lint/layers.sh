#!/bin/sh
# A file may include only from its own layer or a lower one; own headers are named from the layer ("base/buf.h").
awk '
    BEGIN {
        level["base"] = 1; level["codec"] = 2; level["cell"] = 3; level["hfile"] = 4; level["table"] = 5; level["flow"] = 5
        level["dataset"] = level["hbase"] = level["oceanbase"] = 6; level["formats"] = 7; level["pipeline"] = level["page"] = 8
        level["target"] = level["plan"] = level["simulate"] = level["export"] = level["verify"] = 9
        level["cmd"] = 10; level["tests"] = level["bench"] = 11
    }
    FNR == 1 {
        n = split(FILENAME, part, "/")
        own = part[1] == "libsst" ? part[2] : part[1]
        if (!(own in level)) bad(FILENAME ": lies in no known layer")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        split(quoted[2], step, "/")
        if (index(quoted[2], "/") == 0 && own == "tests") next # test support beside the test
        if (index(quoted[2], "/") == 0) bad(FILENAME ":" FNR ": \"" quoted[2] "\" does not name its layer")
        else if (!(step[1] in level)) bad(FILENAME ":" FNR ": \"" quoted[2] "\" is of no known layer")
        else if (level[step[1]] > level[own]) bad(FILENAME ":" FNR ": " own " may not include " quoted[2])
    }
    function bad(text) { print text; found = 1 }
    END { exit found }
' $(find $FOLDERS -name '*.[ch]' | sort)
