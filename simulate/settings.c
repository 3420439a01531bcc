#include "simulate/settings.h"

#include "base/fs.h"

#include <stdlib.h>

static const struct sim_server_rules server_defaults = {.heap_bytes = UINT64_C(8) << 30,
                                                        .memstore_share = 0.4,
                                                        .memstore_low_share = 0.95,
                                                        .flush_threads = 2,
                                                        .large_compactions = 1,
                                                        .small_compactions = 1,
                                                        .compaction_low_bytes_s = 50 << 20,
                                                        .compaction_high_bytes_s = 100 << 20,
                                                        .compaction_offpeak_bytes_s = INT64_MAX,
                                                        .blocking_wait_ms = 90000,
                                                        .check_ms = 10000,
                                                        .periodic_delay_ms = 300000,
                                                        .region_limit = 1000,
                                                        .balance_ms = 300000,
                                                        .slop = 0.001,
                                                        .disk_bytes_s = 100 << 20};

static const struct sim_region_rules region_defaults = {.flush_bytes = 128 << 20,
                                                        .block_multiplier = 4,
                                                        .flush_policy = SIM_FLUSH_ALL_LARGE,
                                                        .periodic_flush_ms = 3600000,
                                                        .split_policy = SIM_SPLIT_STEPPING,
                                                        .max_file_bytes = UINT64_C(10) << 30,
                                                        .max_file_jitter = 0.25,
                                                        .initial_split_bytes = 256 << 20,
                                                        .compaction_enabled = true,
                                                        .split_enabled = true};

static const struct sim_compaction compaction_defaults = {.selection = SIM_EXPLORING,
                                                          .ratio = 1.2f,
                                                          .ratio_offpeak = 5,
                                                          .min_files = 3,
                                                          .max_files = 10,
                                                          .max_bytes = INT64_MAX,
                                                          .max_bytes_offpeak = INT64_MAX,
                                                          .blocking_files = 16,
                                                          .major_period_ms = 604800000,
                                                          .major_jitter = 0.5,
                                                          .offpeak_from_h = -1,
                                                          .offpeak_to_h = -1,
                                                          .check_multiplier = 1000};

static int add_family(struct sim_settings *s, const char *name, struct err *err) {
    struct sim_family *f = &s->families[s->n_families++];
    *f = (struct sim_family){.compaction = compaction_defaults, .file_ratio = 1, .compaction_kept = 1, .major_kept = 1};
    f->compaction.min_bytes = s->region.flush_bytes;
    f->compaction.throttle_bytes = 2 * f->compaction.max_files * s->region.flush_bytes;
    f->name = fs_printf(err, "%s", name);
    return f->name ? 0 : -1;
}

int sim_settings_make(const struct sim_given *given, struct sim_settings *out, struct err *err) {
    *out = (struct sim_settings){.server = server_defaults, .region = region_defaults};
    if (!given->n_families || given->n_families > SIM_FAMILIES_MAX)
        return err_set(err, ERR_LIMIT, "%u families: 1 to %d are emulated", given->n_families, SIM_FAMILIES_MAX);
    out->families = calloc(given->n_families, sizeof *out->families);
    if (!out->families) return err_nomem(err, given->n_families * sizeof *out->families, "families");
    for (uint32_t i = 0; i < given->n_families; i++)
        if (add_family(out, given->family_names[i], err)) return -1;
    return 0;
}

void sim_settings_free(struct sim_settings *s) {
    for (uint32_t i = 0; i < s->n_families; i++) free(s->families[i].name);
    for (size_t i = 0; i < s->n_ignored; i++) free(s->ignored[i]);
    free(s->families);
    free(s->ignored);
    free(s->region.delimiter);
    *s = (struct sim_settings){0};
}
