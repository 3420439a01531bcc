#!/bin/sh
# Nothing in cmd/ sees everything: a struct has at most 20 members (an unnamed struct inside counts as one), and at
# most 40 functions see more than two of the four values of a run: environment, intake, target and output. Who takes a struct that
# points to some of them sees these, too.
limit=${VALUES_MEMBERS:-20} most=${VALUES_FUNCTIONS:-40}
awk -v limit="$limit" -v most="$most" '
    function members(text,    n, i, one, list) { # of a struct, without what is in brackets
        while (gsub(/\{[^{}]*\}/, "", text)) { }
        while (gsub(/\([^()]*\)/, "", text) || gsub(/\[[^][]*\]/, "", text)) { }
        n = split(text, list, ";")
        members_n = 0
        for (i = 1; i < n; i++) members_n += 1 + gsub(/,/, ",", list[i])
        return members_n
    }
    BEGIN { split("environment intake target output", value, " ") }
    FNR == 1 { within = comment = 0 }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        if (comment) {
            if (!match(line, /\*\//)) next
            line = substr(line, RSTART + 2)
            comment = 0
        }
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
        if (match(line, /\/\*/)) {
            line = substr(line, 1, RSTART - 1)
            comment = 1
        }
    }
    line ~ /^struct [a-z0-9_]+ \{/ {
        split(line, w, " ")
        name = w[2]; within = 1; text = ""
        next
    }
    within && line ~ /^\}/ {
        within = 0
        size[name] = members(text); place[name] = FILENAME
        gsub(/\([^;]*\)/, "", text) # what callbacks take
        for (v = 1; v <= 4; v++) if (text ~ ("struct " value[v] " \\*?[a-z]")) holds[name, v] = holders[name] = 1
        next
    }
    within { text = text line; next }
    line ~ /^[a-z]/ && line !~ /^(typedef|struct [a-z0-9_]+;|#)/ { head = ""; open = 1 }
    open { head = head line }
    open && line ~ /[{;]/ {
        if (line ~ /\{[ ]*$/ && head ~ /\(/ && FILENAME ~ /\.c$/) heads[++n_heads] = head
        open = 0
    }
    END {
        for (s in size) if (size[s] > size[largest]) largest = s
        for (s in size) if (size[s] > limit) { print place[s] ": struct " s " has " size[s] " members"; bad = 1 }
        for (i = 1; i <= n_heads; i++) {
            n = 0
            for (v = 1; v <= 4; v++) {
                sees = (heads[i] ~ ("struct " value[v] " \\*"))
                for (s in holders) if (((s, v) in holds) && heads[i] ~ ("struct " s " \\*")) sees = 1
                n += sees
            }
            if (n > 2) {
                seen++
                if (most < 0) print heads[i]
            }
        }
        printf "largest struct of cmd: %s, %d members (at most %d)\n", largest, size[largest], limit
        printf "%d functions take more than two of environment, intake, target and output (at most %d)\n", seen, most
        exit (bad || seen > most)
    }' $(find cmd -name "*.[ch]" | sort)
