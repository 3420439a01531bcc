/* Figures as people read them. */
#ifndef CMD_COMMON_REPORT_FIGURES_H
#define CMD_COMMON_REPORT_FIGURES_H

#include <stdint.h>

/* 1234567 -> "1,234,567"; bytes -> "1.2 MiB". out has 32 bytes and is returned. */
const char *report_count(uint64_t n, char out[32]);
/* The text lasts as long as the block that it is made in. */
#define REPORT_COUNT(n) report_count((n), (char[32]){0})
const char *report_bytes(uint64_t n, char out[32]);
/* 65 -> "1:05", 3725 -> "1:02:05" */
const char *report_duration(double seconds, char out[32]);

#endif
