#!/bin/sh
# The textbook experiment: 1,000,000 keys give the bounds of 10 regions, then 1,000,000 new keys go where they belong. Hashed,
# with numbers in front, counting up: where the writes of a moment go, in HBase and in OceanBase.
set -e
try() {
    name=$1
    shift
    printf '%-20s ' "$name"
    obkv-split simulate --now 2026-11-21T00:00:00Z "$@" | awk '
        /^In / { sub(/^In [0-9.]* s /, ""); verdict = $0 }
        /^  in all: max/ && !most { most = $4 + 0 }
        END { printf "max/mean %5.2f; %s\n", most, verdict }'
}
try "hashed" --generate 2000000 --key "md5(int64(counter))[0:8] + int64(counter)" --splits sampled:10
try "hashed, hex bounds" --generate 1000000 --key "md5(int64(counter))[0:8] + int64(counter)" --splits HexStringSplit:10
try "modulo 10" --generate 1000000 --key "zeropad(mod(counter, 10), 2) + '_' + counter" --splits prefixes:10:2
try "modulo 20" --generate 1000000 --key "zeropad(mod(counter, 20), 2) + '_' + counter" --splits prefixes:20
try "modulo 20, as longs" --generate 1000000 --key "int64(mod(counter, 20)) + int64(counter)" --splits longs:20
try "one after the other" --generate 2000000 --key "zeropad(counter, 10)" --splits sampled:10
try "by time" --generate 2000000 --key "now + '_' + zeropad(mod(random, 1000), 3)" --splits sampled:10
