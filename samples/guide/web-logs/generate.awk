# 4,000 lines of a web server's log, two a second, the same ones every time: time, host, status, bytes, path.
function below(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
BEGIN {
    seed = 7
    print "time,host,status,bytes,path"
    for (i = 0; i < 4000; i++) {
        s = int(i / 2)
        printf "2026-11-21T%02d:%02d:%02d.%03dZ,web-%02d,%d,%d,/item/%d\n", 10 + int(s / 3600), int(s / 60) % 60, s % 60,
            (i % 2) * 500 + below(500), below(8) + 1, below(20) ? 200 : 404, below(9000) + 200, below(500)
    }
}
