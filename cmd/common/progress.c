/* Shows the progress of a run on stderr: a bar as wide as the terminal, a line a minute, or a JSON document a second.
 *
 * Workers only note what is done. A thread of its own draws, so that time is shown where nothing is reported; if no thread can
 * be started, the thread that notes draws. Messages hold it while they are printed, so that the two never mix. */
#include "cmd/common/progress.h"

#include "base/clock.h"
#include "base/threads.h"
#include "cmd/common/progress_model.h"
#include "cmd/common/report_figures.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 250, WIDTH = 80, TEXT_BYTES = 400, STACK_BYTES = 128 << 10 };

struct progress_run {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool has_thread, ends;
    enum progress_view view;
    const char *program;
    struct progress_model model;
    double began, shown; /* steady clock */
    struct progress_parts part;
    bool rests, line_open;
};

/* ---- what is shown ---- */

struct progress_state {
    double elapsed_s, share, left_s, rate;
    const char *phase;
    uint64_t done;
    bool bytes;
};

/* Turns what is shown of a part into what is shown of the run. */
static void take_part(struct progress_run *r, struct progress_state *s) {
    double share = r->part.from + (r->part.to - r->part.from) * (s->share > 0 ? s->share : 0);
    if (share > r->part.most) r->part.most = share;
    s->share = r->part.most;
    s->left_s = progress_parts_left(&r->part, s->elapsed_s);
}

static struct progress_state state_of(struct progress_run *r, double now) {
    struct progress_state s = {.elapsed_s = now - r->began, .phase = r->model.phase ? r->model.phase : "start"};
    double of_part = s.elapsed_s - r->part.began, t = of_part - r->model.phase_began;
    progress_model_ask(&r->model, of_part, &s.share, &s.left_s);
    if (r->part.to > 0) take_part(r, &s);
    s.bytes = progress_phase_has_bytes(r->model.phase);
    s.done = r->model.done;
    s.rate = s.bytes && t > 0 ? (double)s.done / t : 0;
    return s;
}

static void show_json(const struct progress_run *r, const struct progress_state *s) {
    char share[32] = "null", left[32] = "null", bytes[64] = "\"bytes\": null, \"rate\": null";
    if (s->share >= 0) snprintf(share, sizeof share, "%.4f", s->share);
    if (s->left_s >= 0) snprintf(left, sizeof left, "%.1f", s->left_s);
    if (s->bytes) snprintf(bytes, sizeof bytes, "\"bytes\": %llu, \"rate\": %.0f", (unsigned long long)s->done, s->rate);
    fprintf(stderr, "{\"program\": \"%s\", \"phase\": \"%s\", \"share\": %s, \"elapsed_s\": %.1f, \"eta_s\": %s, %s}\n",
            r->program, s->phase, share, s->elapsed_s, left, bytes);
    (void)fflush(stderr); /* a failure cannot be reported */
}

/* "read 37 %, 1.2 GiB, 85.0 MiB/s, 0:41 elapsed, 1:10 left" without the share */
static void put_figures(const struct progress_state *s, char out[TEXT_BYTES]) {
    char a[32], b[32], t[32], left[48] = "";
    if (s->left_s >= 0) snprintf(left, sizeof left, ", %s left", report_duration(s->left_s, a));
    int n = 0;
    if (s->bytes) n = snprintf(out, TEXT_BYTES, "%s, %s/s, ", report_bytes(s->done, a), report_bytes((uint64_t)s->rate, b));
    snprintf(out + n, TEXT_BYTES - (size_t)n, "%s elapsed%s", report_duration(s->elapsed_s, t), left);
}

static unsigned terminal_width(void) {
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col ? WIDTH : w.ws_col;
}

/* obkv-import: read [=====>      ]  37 %  85.0 MiB/s, 0:41 elapsed, 1:10 left. What does not fit is cut: a line that wraps could
 * not be drawn anew. */
static void draw(struct progress_run *r, const struct progress_state *s) {
    enum { BAR_MAX = 40, BAR_LEAST = 8 };
    char figures[TEXT_BYTES], line[TEXT_BYTES * 2], bar[BAR_MAX + 3] = "", percent[16] = "";
    unsigned width = terminal_width() - 1;
    put_figures(s, figures);
    if (s->share >= 0) snprintf(percent, sizeof percent, " %3d %% ", (int)(100 * s->share));
    size_t text = strlen(r->program) + strlen(s->phase) + strlen(percent) + strlen(figures) + 6;
    if (s->share >= 0 && text + BAR_LEAST < width) {
        unsigned n = width - (unsigned)text > BAR_MAX ? BAR_MAX : width - (unsigned)text, full = (unsigned)(n * s->share);
        bar[0] = '[';
        memset(bar + 1, ' ', n);
        memset(bar + 1, '=', full);
        if (full < n) bar[1 + full] = '>';
        bar[1 + n] = ']';
    }
    snprintf(line, sizeof line, "%s: %s %s%s %s", r->program, s->phase, bar, percent, figures);
    fprintf(stderr, "\r\033[K%.*s", (int)width, line);
    (void)fflush(stderr); /* a failure cannot be reported */
    r->line_open = true;
}

static void show_line(const struct progress_run *r, const struct progress_state *s) {
    char figures[TEXT_BYTES];
    put_figures(s, figures);
    if (s->share >= 0)
        fprintf(stderr, "%s: %s: %d %%, %s\n", r->program, s->phase, (int)(100 * s->share), figures);
    else
        fprintf(stderr, "%s: %s: %s\n", r->program, s->phase, figures);
    (void)fflush(stderr); /* a failure cannot be reported */
}

/* Shows progress if it is due, under the lock. */
static void show_if_due(struct progress_run *r) {
    static const double every_s[] = {[PROGRESS_TERMINAL] = 0.5, [PROGRESS_LINES] = 60, [PROGRESS_JSON] = 0.95};
    double now = clock_steady();
    if (r->rests || now - r->shown < every_s[r->view] || now - r->began < 0.9) return;
    struct progress_state s = state_of(r, now);
    r->shown = now;
    switch (r->view) {
    case PROGRESS_TERMINAL: draw(r, &s); break;
    case PROGRESS_LINES: show_line(r, &s); break;
    case PROGRESS_JSON: show_json(r, &s); break;
    case PROGRESS_NEVER: break;
    }
}

static void end_line(struct progress_run *r) {
    if (r->line_open) fprintf(stderr, "\r\033[K");
    (void)fflush(stderr); /* a failure cannot be reported */
    r->line_open = false;
}

/* ---- the thread ---- */

static void *keep_showing(void *arg) {
    struct progress_run *r = arg;
    pthread_mutex_lock(&r->lock);
    while (!r->ends) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TICK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&r->wake, &r->lock, &until);
        if (!r->ends) show_if_due(r);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

struct progress_run *progress_open(enum progress_view view, const char *program, uint64_t memory_bytes) {
    pthread_condattr_t clock;
    struct progress_run *r = view == PROGRESS_NEVER ? NULL : calloc(1, sizeof *r);
    if (!r) return NULL;
    r->view = view;
    r->program = program;
    r->model.memory_bytes = memory_bytes;
    r->began = clock_steady();
    r->shown = view == PROGRESS_LINES ? r->began : 0;
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&r->wake, &clock);
    pthread_condattr_destroy(&clock);
    r->has_thread = threads_start_helper(&r->thread, STACK_BYTES, keep_showing, r);
    return r;
}

void progress_note(void *run, const char *phase, uint64_t done, uint64_t total) {
    struct progress_run *r = run;
    pthread_mutex_lock(&r->lock);
    progress_model_note(&r->model, phase, done, total, clock_steady() - r->began - r->part.began);
    r->rests = false;
    if (!r->has_thread) show_if_due(r);
    pthread_mutex_unlock(&r->lock);
}

static void begin_model(struct progress_run *r) {
    r->model = (struct progress_model){.memory_bytes = r->model.memory_bytes};
    if (r->part.to > 0)
        r->part.began = clock_steady() - r->began;
    else
        r->began = clock_steady();
}

void progress_restart(struct progress_run *r) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    begin_model(r);
    pthread_mutex_unlock(&r->lock);
}

void progress_part(struct progress_run *r, double from, double to, bool was_done) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->part.from = from;
    r->part.to = to;
    if (was_done) r->part.before += to - from;
    if (was_done) r->part.stage.before += to - from;
    if (was_done) r->part.most = to;
    begin_model(r); /* that of the part before would say that this one is done */
    pthread_mutex_unlock(&r->lock);
}

void progress_stage(struct progress_run *r) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->part.stage.from = r->part.to;
    r->part.stage.before = 0;
    r->part.stage.began = clock_steady() - r->began;
    pthread_mutex_unlock(&r->lock);
}

void progress_expect_writing(struct progress_run *r, enum hfile_codec codec, uint32_t partitions, bool of_hfiles) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->model.writes = true;
    r->model.codec = codec;
    r->model.one_partition = partitions == 1;
    r->model.of_hfiles = of_hfiles;
    pthread_mutex_unlock(&r->lock);
}

void progress_expect_second_pass(struct progress_run *r) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->model.reads_again = true;
    pthread_mutex_unlock(&r->lock);
}

void progress_hold(struct progress_run *r) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    end_line(r);
}

void progress_release(struct progress_run *r) {
    if (r) pthread_mutex_unlock(&r->lock);
}

void progress_rest(struct progress_run *r) {
    progress_hold(r);
    if (r) r->rests = true;
    progress_release(r);
}

void progress_close(struct progress_run *r, bool done) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    end_line(r);
    r->ends = true;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    if (r->has_thread) pthread_join(r->thread, NULL);
    struct progress_state s = state_of(r, clock_steady());
    s.phase = "end";
    s.share = 1;
    s.left_s = 0;
    if (done && r->view == PROGRESS_JSON) show_json(r, &s);
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
