#!/bin/sh
# A file includes only from its own room or a lower one (docs/design.md has the map); own headers are named from the layer
# ("base/buf.h", "formats/csv/csv.h"); "gen/" holds tables that the build makes. Programs do not know each other.
# `obkv-verify info`, `dump` and the scan benchmark use the public library: they see none of the rooms that read and merge files.
LC_ALL=C awk '
    BEGIN {
        level["gen"] = level["base"] = 1; level["codec"] = 2; level["cell"] = 3; level["hfile"] = 4; level["table"] = 5
        level["sort"] = 6
        level["rules"] = 6; level["select"] = 6; level["dataset"] = 7; level["engine"] = 8; level["sst"] = 8; level["api"] = 8
        level["formats/hbase"] = 9; level["formats"] = 10
        level["cmd/common"] = 11; level["cmd/oceanbase"] = 11; level["cmd/text"] = 11; level["cmd"] = 12; level["tests"] = 13
    }
    function room(path,    part, n) { # of a file of the tree, or of an include
        sub(/^libsst\/(include\/)?/, "", path)
        n = split(path, part, "/")
        if ((part[1] "/" part[2]) in level) return part[1] "/" part[2]
        return part[1]
    }
    function program(path,    part) { return split(path, part, "/") > 2 && part[1] == "cmd" ? part[2] : "" }
    FNR == 1 {
        own = room(FILENAME)
        if (!(own in level)) bad(FILENAME ": lies in no known room")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        path = quoted[2]
        if (index(path, "/") == 0 && own == "tests") next # test support beside the test
        if (index(path, "/") == 0) bad(FILENAME ":" FNR ": \"" path "\" does not name its layer")
        else if (!(room(path) in level)) bad(FILENAME ":" FNR ": \"" path "\" is of no known room")
        else if (path ~ /^(hfile|codec|sort|rules|select)\// && FILENAME ~ /^(cmd\/verify\/info\/|tests\/bench\/scan_hfile)/)
            bad(FILENAME ":" FNR ": reads files through sst/*.h, not " path)
        else if (level[room(path)] > level[own]) bad(FILENAME ":" FNR ": " own " may not include " path)
        else if (room(path) == "cmd" && own == "cmd" && program(path) != program(FILENAME))
            bad(FILENAME ":" FNR ": a program may not include another (" path ")")
    }
    function bad(text) { print text; found = 1 }
    END { exit found }
' $(find $FOLDERS -name '*.[ch]' | sort)
