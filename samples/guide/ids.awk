# How many prefixes id % n make of ids that step by 64: awk -f ids.awk
BEGIN {
    for (n = 64; n >= 60; n--) {
        split("", seen)
        used = 0
        for (id = 0; id < 64000; id += 64)
            if (!(id % n in seen)) seen[id % n] = ++used
        printf "id %% %d: %d of %d prefixes are used\n", n, used, n
    }
}
