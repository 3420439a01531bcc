#include "cmd/common/moment_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void moment_text(int64_t ms, bool with_time, char out[48]) {
    const int64_t YEAR_10000_S = INT64_C(253402300800);
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    if (ms < 0 || s >= YEAR_10000_S || !gmtime_r(&s, &tm))
        snprintf(out, 48, "%lld ms", (long long)ms);
    else
        strftime(out, 48, with_time ? "%Y-%m-%d %H:%M:%S UTC" : "%Y-%m-%d", &tm);
}

void moment_text_within(int64_t ms, int64_t span_ms, char out[48]) {
    char text[48];
    moment_text(ms, true, text);
    bool time_alone = span_ms < 86400000 && strlen(text) == sizeof "2026-11-21 18:30:05 UTC" - 1;
    snprintf(out, 48, time_alone ? "%.8s" : "%s", time_alone ? text + 11 : text);
}
