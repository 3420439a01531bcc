# 20,000 messages, one a second: timestamp|msgid in 13+6 digits, and msgtype|msgid with -v type=1.
BEGIN {
    for (i = 0; i < 20000; i++)
        if (type) printf "%d|%08d,x\n", i % 4 + 1, i
        else printf "%d%06d,x\n", 1700000000000 + i * 1000, i
}
