/* Figures as people read them: counts in groups of three digits, bytes by their unit, times by the clock. For summaries, messages
 * and progress alike. */
#include "cmd/common/report_figures.h"

#include "base/bytes.h"

#include <stdio.h>

const char *report_count(uint64_t n, char out[32]) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

const char *report_bytes(uint64_t n, char out[32]) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)n;
    unsigned u = 0;
    for (; v >= 1024 && u + 1 < countof(unit); u++) v /= 1024;
    snprintf(out, 32, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
    return out;
}

const char *report_duration(double seconds, char out[32]) {
    unsigned long v = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;
    if (v >= 3600)
        snprintf(out, 32, "%lu:%02lu:%02lu", v / 3600, v / 60 % 60, v % 60);
    else
        snprintf(out, 32, "%lu:%02lu", v / 60, v % 60);
    return out;
}
