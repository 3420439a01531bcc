/* A dataset as its manifest tells it, and the files of one in a table. */
#include "cmd/verify/info/info.h"

/* HBase counts files by region and family. */
static size_t most_files_of_a_family(const struct manifest *m) {
    size_t most = 0;
    for (uint32_t f = 0; f < m->table.n_families; f++) {
        size_t n = 0;
        for (size_t i = 0; i < m->n_files; i++) n += m->files[i].family == f;
        if (n > most) most = n;
    }
    return most;
}

/* How an HBase bulk load of this folder would go. */
static int put_hbase(const struct manifest *m, struct buf *out, struct err *err) {
    enum { HBASE_DEFAULT = 32 };
    size_t n = most_files_of_a_family(m);
    if (m->table.partitioning.kind == PARTITION_KEY && m->n_files > 1)
        return buf_printf(
            out, err, "  %-22s every file spans all regions: a bulk load splits each one and needs\n  %-22s %s=%zu\n",
            "for HBase", "", "-Dhbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily", n > HBASE_DEFAULT ? n : HBASE_DEFAULT);
    return buf_printf(out, err, "  %-22s bulk-loads as it is where at most %d files fall into one region; load a copy\n",
                      "for HBase", HBASE_DEFAULT);
}

static int put_totals(const struct manifest *m, struct buf *out, struct err *err) {
    char a[32], b[32], hex[DIGEST_HEX];
    uint64_t bytes = 0, kv = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        bytes += m->files[i].file_bytes;
        kv += m->files[i].kv_bytes;
    }
    digest_print(ledger_written(&m->ledger)->digest, hex);
    if (buf_printf(out, err, "  %-22s %s in %zu files, %s\n", "cells", report_count(ledger_written(&m->ledger)->cells, a),
                   m->n_files, report_bytes(bytes, b)))
        return -1;
    return buf_printf(out, err, "  %-22s %s\n  %-22s %s\n", "KeyValue bytes", report_bytes(kv, a), "digest", hex);
}

static int put_origin(const struct manifest *m, struct buf *out, struct err *err) {
    enum { INPUTS_SHOWN = 20 };
    char a[32];
    if (buf_printf(out, err, "  %-22s %s\n", "version rules applied", m->rules ? m->rules : "none")) return -1;
    if (buf_printf(out, err, "  %-22s %lld%s\n", "now", (long long)m->now_ms, m->now_given ? "" : " (clock)")) return -1;
    for (uint32_t i = 0; i < m->table.n_families; i++) {
        const struct family *f = &m->table.families[i];
        if (buf_printf(out, err, "  family %-15s K <= %u, Q <= %u, V <= %llu bytes\n", f->name, f->k_max, f->q_max,
                       (unsigned long long)f->v_max))
            return -1;
    }
    for (size_t i = 0; i < m->n_inputs && i < INPUTS_SHOWN; i++)
        if (buf_printf(out, err, "  input %-16s %s (%s cells)\n", m->inputs[i].format, m->inputs[i].path,
                       report_count(m->inputs[i].tally.cells, a)))
            return -1;
    return 0;
}

int info_dataset_text(const char *dir, const struct manifest *m, struct buf *out, struct err *err) {
    struct buf text = {0};
    int rc = partitioning_describe(&m->table.partitioning, &text, err);
    if (!rc)
        rc = buf_printf(out, err, "%s: dataset by %s\n  %-22s %s\n  %-22s %.*s\n", dir, m->tool, "table",
                        m->table.name ? m->table.name : "(no name)", "partitioning", (int)text.n, (const char *)text.p);
    buf_free(&text);
    if (rc || put_totals(m, out, err) || put_origin(m, out, err)) return -1;
    return put_hbase(m, out, err);
}

int info_files_text(const struct manifest *m, const struct file_figures *f, struct buf *out, struct err *err) {
    char cells[32], bytes[32], plain[32];
    if (buf_printf(out, err, " %-27s %14s %18s %18s %8s\n", "files:", "cells", "bytes on disk", "bytes of data", "ratio"))
        return -1;
    for (size_t i = 0; i < f->n; i++) {
        const struct figures_file *x = &f->files[i];
        if (buf_printf(out, err, "  %-26s %14s %18s %18s %8.2f\n", m->files[i].path, report_count(x->cells, cells),
                       report_count(x->file_bytes, bytes), report_count(x->data.plain_bytes, plain),
                       x->data.disk_bytes ? (double)x->data.plain_bytes / (double)x->data.disk_bytes : 0.0))
            return -1;
    }
    return 0;
}
