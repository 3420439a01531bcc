#include "formats/hbase/store_files.h"

#include <stdlib.h>
#include <time.h>

int store_files_warn_expired(struct store_files *s, int64_t now_ms, struct err *err) {
    if (!s->expires_ms || s->expires_ms > now_ms) return 0;
    time_t at = (time_t)(s->expires_ms / 1000);
    struct tm utc;
    char text[64] = "an impossible time";
    if (gmtime_r(&at, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buf_printf(&s->warnings, err, "%s expired at %s: HBase would not restore it any more\n", s->what, text);
}

void store_files_free(struct store_files *s) {
    hbase_table_free(&s->table);
    free(s->what);
    for (size_t i = 0; i < s->n_regions; i++) region_info_free(&s->regions[i]);
    free(s->regions);
    for (size_t i = 0; i < s->n_files; i++) {
        free(s->files[i].path);
        if (s->files[i].owns_name) free(s->files[i].name);
        buf_free(&s->files[i].split_row);
    }
    free(s->files);
    for (size_t i = 0; i < s->n_mob; i++) {
        free(s->mob[i].path);
        free(s->mob[i].ns);
        free(s->mob[i].table);
    }
    free(s->mob);
    buf_free(&s->warnings);
    buf_free(&s->problems);
    *s = (struct store_files){0};
}
