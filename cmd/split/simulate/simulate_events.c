/* Events of an emulated cluster: the first ones are kept for the report, all are written to events.jsonl as they happen, under a
 * temporary name until the simulation has ended well. */
#include "cmd/common/report_figures.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/simulate/simulate_view.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/output_text.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- one event ---- */

static json_t *number_or_null(int32_t n) {
    return n == SIM_NONE ? json_null() : json_integer(n);
}

json_t *simulate_event_json(const struct sim_event *e, const struct table *t) {
    json_t *j = json_new(JSON("event", sim_event_name(e->kind)), JSON("at_ms", e->at_ms), JSON("took_ms", e->took_ms),
                         JSON("region", number_or_null(e->region)),
                         JSON("family", e->family == SIM_NONE ? json_null() : json_text(t->families[e->family].name)),
                         JSON("server", number_or_null(e->server)), JSON("files", e->files), JSON("bytes_in", e->bytes_in),
                         JSON("bytes_out", e->bytes_out), JSON("why", json_text(e->why ? e->why : "")));
    if (e->kind == SIM_EVENT_SPLIT) {
        json_put(j, JSON("key", json_hex(e->key)), JSON("to", json_pack("[i, i]", e->to[0], e->to[1])));
    } else if (e->kind == SIM_EVENT_MOVE) {
        json_put(j, JSON("to", e->to[0]));
    }
    return j;
}

static int put_key(struct buf *out, struct bytes key, struct err *err) {
    for (size_t i = 0; i < key.n && i < 24; i++) {
        uint8_t c = key.p[i];
        if (buf_printf(out, err, c >= 0x20 && c < 0x7f && c != '\\' ? "%c" : "\\x%02X", c)) return -1;
    }
    return 0;
}

int simulate_event_describe(const struct sim_event *e, struct buf *out, struct err *err) {
    char in[32], to[32];
    int rc = 0;
    report_bytes(e->bytes_in, in);
    report_bytes(e->bytes_out, to);
    switch (e->kind) {
    case SIM_EVENT_FLUSH: rc = buf_printf(out, err, "%s of memstore to %s", in, to); break;
    case SIM_EVENT_MINOR:
    case SIM_EVENT_MAJOR: rc = buf_printf(out, err, "%u files, %s to %s", e->files, in, to); break;
    case SIM_EVENT_SPLIT:
        rc = buf_printf(out, err, "%s into %d and %d at ", in, e->to[0], e->to[1]) || put_key(out, e->key, err) ? -1 : 0;
        break;
    case SIM_EVENT_MOVE: rc = buf_printf(out, err, "from server %d to server %d", e->server, e->to[0]); break;
    case SIM_EVENT_BLOCK: rc = buf_printf(out, err, "writes had to wait"); break;
    }
    return rc || (e->why && *e->why && buf_printf(out, err, ": %s", e->why)) ? -1 : 0;
}

/* ---- all of them ---- */

int simulate_events_begin(struct simulate_events *e, const char *dir, struct disk_quota *quota, struct err *err) {
    e->path = fs_join(dir, "events.jsonl", err);
    e->temp = e->path ? fs_printf(err, "%s.%d.tmp", e->path, (int)getpid()) : NULL;
    if (!e->temp || fs_mkdirs(dir, err)) return -1;
    e->file = outfile_create(e->temp, quota, err);
    return e->file ? 0 : -1;
}

static int keep_event(struct simulate_events *e, const struct sim_event *event, struct err *err) {
    if (!e->list && !(e->list = calloc(EVENTS_KEPT, sizeof *e->list)))
        return err_nomem(err, EVENTS_KEPT * sizeof *e->list, "events");
    struct sim_event *to = &e->list[e->n];
    uint8_t *key = event->key.n ? malloc(event->key.n) : NULL;
    if (event->key.n && !key) return err_nomem(err, event->key.n, "an event");
    *to = *event;
    if (key) memcpy(key, event->key.p, event->key.n);
    to->key = bytes_of(key, event->key.n);
    e->n++;
    return 0;
}

int simulate_events_add(struct simulate_events *e, const struct sim_event *event, struct err *err) {
    e->seen++;
    if (e->n < EVENTS_KEPT && keep_event(e, event, err)) return -1;
    if (!e->file) return 0;
    char *text = json_memory_dump(simulate_event_json(event, e->table), JSON_COMPACT, "an event", err);
    int rc = text ? outfile_write(e->file, text, strlen(text), err) : -1;
    if (!rc) rc = outfile_write(e->file, "\n", 1, err);
    free(text);
    return rc;
}

int simulate_events_end(struct simulate_events *e, struct err *err) {
    char checksum[17];
    if (!e->file) return 0;
    if (outfile_finish(e->file, checksum, err) || fs_fsync_path(e->temp, err)) return -1;
    return fs_rename(e->temp, e->path, err);
}

void simulate_events_free(struct simulate_events *e) {
    for (uint32_t i = 0; i < e->n; i++) free((uint8_t *)(uintptr_t)e->list[i].key.p);
    free(e->list);
    outfile_close(e->file);
    free(e->path);
    free(e->temp);
    *e = (struct simulate_events){0};
}
