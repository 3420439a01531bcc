/* Pieces in a ring. The thread that reads cuts pieces off and puts them in at the end; it and its helpers take the first one that
 * waits; the content of the first one of all is handed out next. Helpers start when there is a second piece, so a stream in one
 * piece costs no thread. Without helpers, where the system gives no thread, the reader unpacks all.
 *
 * A piece that fails is no verdict yet. Where pieces are what stood in the data, all that is not handed out goes back, and the
 * steps of the kind take over: they say what is wrong, and where, as they do with one thread. */
#include "base/unpack_pieces.h"

#include "base/hand_over.h"
#include "base/threads.h"
#include "base/unpack_kind.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MEMORY_BYTES = 128 << 20, LARGEST_PIECE_BYTES = 64 << 20, SLOTS_PER_THREAD = 2 };
enum { PIECE_BYTES = 512 * 1024, STACK_BYTES = 256 * 1024 };

enum slot_state { WAITS, IS_UNPACKED, IS_DONE };

/* Kinds of what comes after the pieces in the ring. */
enum next { NEXT_IS_PIECE, NEXT_IS_END, NEXT_IS_STEPS, NEXT_IS_ERROR };

struct unpack_slot {
    struct unpack_piece piece;
    enum slot_state state;
    enum piece_result result;
    size_t given; /* of its content */
    size_t bytes; /* it may hold, kept from earlier pieces or not */
};

struct unpack_pieces {
    const struct unpack_piece_ops *ops;
    size_t memory, most;       /* of all pieces; of one */
    struct hand_over pieces;   /* changed: one waits, or one is done */
    struct unpack_slot *slots; /* a ring, of which the reader alone changes first and n */
    size_t n_slots, first, n;
    pthread_t *helpers;
    unsigned n_helpers, most_helpers;
    bool ending;
    bool is_shown;          /* the first piece is being handed out … */
    bool by_steps;          /* … step by step: its content is more than fits, or it is damaged, which the steps say */
    struct unpack stepping; /* over its bytes */
    enum next next;
    struct err err;
};

/* ---- the ring ---- */

static struct unpack_slot *slot_at(const struct unpack_pieces *s, size_t i) {
    return &s->slots[(s->first + i) % s->n_slots];
}

/* Takes a slot that waits, under the lock. NULL: none does. */
static struct unpack_slot *take_waiting(struct unpack_pieces *s) {
    for (size_t i = 0; i < s->n; i++)
        if (slot_at(s, i)->state == WAITS) {
            slot_at(s, i)->state = IS_UNPACKED;
            return slot_at(s, i);
        }
    return NULL;
}

/* Unpacks a slot's piece, under the lock, which is given up meanwhile. */
static void unpack_slot(struct unpack_pieces *s, struct unpack_slot *slot) {
    hand_over_unlock(&s->pieces);
    enum piece_result result = s->ops->unpack(&slot->piece);
    hand_over_lock(&s->pieces);
    slot->result = result;
    slot->state = IS_DONE;
    hand_over_changed(&s->pieces);
}

static void *help(void *arg) {
    struct unpack_pieces *s = arg;
    hand_over_lock(&s->pieces);
    while (!s->ending) {
        struct unpack_slot *slot = take_waiting(s);
        if (slot)
            unpack_slot(s, slot);
        else
            hand_over_wait(&s->pieces);
    }
    hand_over_unlock(&s->pieces);
    return NULL;
}

static void start_helper(struct unpack_pieces *s) {
    if (s->n_helpers == s->most_helpers) return;
    if (threads_start_helper(&s->helpers[s->n_helpers], STACK_BYTES, help, s))
        s->n_helpers++;
    else
        s->most_helpers = s->n_helpers;
}

static void stop_helpers(struct unpack_pieces *s) {
    hand_over_lock(&s->pieces);
    s->ending = true;
    hand_over_changed(&s->pieces);
    hand_over_unlock(&s->pieces);
    for (unsigned i = 0; i < s->n_helpers; i++) pthread_join(s->helpers[i], NULL);
    s->n_helpers = s->most_helpers = 0;
}

static void wait_until_done(struct unpack_pieces *s, const struct unpack_slot *slot) {
    hand_over_lock(&s->pieces);
    while (slot->state != IS_DONE) {
        struct unpack_slot *waiting = take_waiting(s);
        if (waiting)
            unpack_slot(s, waiting);
        else
            hand_over_wait(&s->pieces);
    }
    hand_over_unlock(&s->pieces);
}

/* ---- cutting ---- */

static void release(struct unpack_slot *slot) {
    buf_free(&slot->piece.in);
    buf_free(&slot->piece.out);
    slot->bytes = 0;
}

/* Returns whether there is memory for the largest piece. What slots have kept is given back before the answer is no. */
static bool has_room(struct unpack_pieces *s, const struct unpack *u) {
    size_t used = u->capacity, kept = 0;
    for (size_t i = 0; i < s->n_slots; i++) *(i < s->n ? &used : &kept) += slot_at(s, i)->bytes;
    if (used + kept + s->most > s->memory)
        for (size_t i = s->n; i < s->n_slots; i++) release(slot_at(s, i));
    return used + s->most <= s->memory;
}

static void enter(struct unpack_pieces *s, struct unpack_slot *slot) {
    size_t out = slot->piece.content > slot->piece.out.cap ? slot->piece.content : slot->piece.out.cap;
    slot->bytes = slot->piece.in.cap + out;
    slot->given = 0;
    hand_over_lock(&s->pieces);
    slot->state = WAITS;
    s->n++;
    hand_over_changed(&s->pieces);
    hand_over_unlock(&s->pieces);
    if (s->n > 1) start_helper(s);
}

/* Cuts off frames whose size can be measured, several together until they are worth turns of a lock. Many of them may have no
 * content. */
static enum piece_cut cut_measured(struct unpack_pieces *s, struct unpack *u, struct unpack_piece *p, struct err *err) {
    struct bytes b = bytes_of(u->in + u->at, u->n - u->at);
    struct piece_size next;
    size_t taken = 0;
    p->content = 0;
    while (p->content < PIECE_BYTES && taken < PIECE_BYTES) {
        enum piece_cut cut = s->ops->measure(u, bytes_of(b.p + taken, b.n - taken), s->most, &next);
        if (cut == PIECE_CUT && taken + next.bytes + p->content + next.content > s->most) cut = PIECE_NONE;
        if (cut != PIECE_CUT && !p->content) return cut;
        if (cut != PIECE_CUT) break;
        taken += next.bytes;
        p->content += next.content;
    }
    if (buf_put(&p->in, b.p, taken, err)) return PIECE_CUT_FAILED;
    u->at += taken;
    p->end = u->taken - (u->n - u->at);
    return PIECE_CUT;
}

static enum piece_cut cut(struct unpack_pieces *s, struct unpack *u, struct unpack_piece *p, struct err *err) {
    buf_clear(&p->in);
    buf_clear(&p->out);
    return s->ops->measure ? cut_measured(s, u, p, err) : s->ops->cut(u, p, s->most, err);
}

/* The next piece, if there is one. What fails is an error when all pieces before have been handed out, as without pieces; `why`
 * is what failed now. */
static bool cut_next(struct unpack_pieces *s, struct unpack *u, struct err *why) {
    struct unpack_slot *slot = slot_at(s, s->n);
    enum piece_cut done = PIECE_NEEDS_MORE;
    *why = (struct err){0};
    while (done == PIECE_NEEDS_MORE && s->next == NEXT_IS_PIECE) {
        if (u->at == u->n && u->at_end && !u->inside)
            s->next = NEXT_IS_END;
        else if ((done = cut(s, u, &slot->piece, why)) == PIECE_CUT)
            enter(s, slot);
        else if (done == PIECE_NONE || (done == PIECE_NEEDS_MORE && u->at_end))
            s->next = NEXT_IS_STEPS;
        else if (done == PIECE_NEEDS_MORE ? unpack_read_on(u, &s->err) : !s->n)
            s->next = NEXT_IS_ERROR;
    }
    if (s->next == NEXT_IS_ERROR) err_keep(&s->err, why);
    return done == PIECE_CUT;
}

static void cut_ahead(struct unpack_pieces *s, struct unpack *u) {
    struct err later;
    while (s->next == NEXT_IS_PIECE && s->n < s->n_slots && (!s->n || has_room(s, u)))
        if (!cut_next(s, u, &later)) return;
}

/* ---- handing out ---- */

static void drop_first(struct unpack_pieces *s) {
    hand_over_lock(&s->pieces);
    s->first = (s->first + 1) % s->n_slots;
    s->n--;
    hand_over_unlock(&s->pieces);
    s->is_shown = s->by_steps = false;
}

/* All that was not handed out, before what u->in still holds. */
static int give_back(struct unpack_pieces *s, struct unpack *u, struct err *err) {
    struct buf all = {0};
    stop_helpers(s);
    for (size_t i = 0; i < s->n_slots; i++) buf_free(&s->slots[i].piece.out);
    int rc = buf_reserve(&all, UNPACK_INPUT_BYTES, err); /* refilling reads as much as there is room for */
    for (size_t i = 0; !rc && i < s->n; i++) {
        rc = buf_put(&all, slot_at(s, i)->piece.in.p, slot_at(s, i)->piece.in.n, err);
        release(slot_at(s, i));
    }
    if (rc || buf_put(&all, u->in + u->at, u->n - u->at, err)) {
        buf_free(&all);
        return -1;
    }
    free(u->in);
    u->in = all.p;
    u->at = 0;
    u->n = all.n;
    u->capacity = all.cap;
    return 0;
}

/* Cuts the second piece, where there is room for it or not: whether the first one is damaged depends on it. 1; 0 = there is none,
 * or what is there is damaged; -1. */
static int cut_second(struct unpack_pieces *s, struct unpack *u, struct err *err) {
    struct err why = {0};
    if (s->n > 1 || (s->next == NEXT_IS_PIECE && cut_next(s, u, &why))) return 1;
    if (s->next != NEXT_IS_ERROR && why.code != ERR_LIMIT) return 0;
    err_keep(err, s->next == NEXT_IS_ERROR ? &s->err : &why);
    return -1;
}

/* Joins the first two pieces. 1; 0 = that cannot be; -1. */
static int join_first(struct unpack_pieces *s, struct unpack *u, struct err *err) {
    int second = cut_second(s, u, err);
    if (second != 1) return second;
    struct unpack_slot *a = slot_at(s, 0), *b = slot_at(s, 1);
    wait_until_done(s, b);
    int joined = s->ops->join(&a->piece, &b->piece, err);
    if (joined != 1) return joined;
    struct unpack_piece both = a->piece;
    a->piece = b->piece;
    b->piece = both;
    buf_clear(&b->piece.out);
    drop_first(s);
    b->result = s->ops->unpack(&b->piece);
    return 1;
}

static void begin_steps(struct unpack_pieces *s, const struct unpack *u) {
    const struct unpack_piece *p = &slot_at(s, 0)->piece;
    s->by_steps = true;
    s->stepping = *u;
    s->stepping.in = p->in.p;
    s->stepping.at = 0;
    s->stepping.n = p->in.n;
    s->stepping.at_end = true;
    s->stepping.inside = false;
    s->stepping.taken = p->end;
}

/* Makes the first piece ready to be handed out. 1; 0 = nothing was cut; -1. */
static int show_first(struct unpack_pieces *s, struct unpack *u, struct err *err) {
    int joined = 1;
    cut_ahead(s, u);
    if (!s->n) return 0;
    wait_until_done(s, slot_at(s, 0));
    if (slot_at(s, 0)->result != PIECE_UNPACKED && s->ops->measure) {
        s->next = NEXT_IS_STEPS;
        return give_back(s, u, err);
    }
    while (joined == 1 && slot_at(s, 0)->result == PIECE_FAILED) joined = join_first(s, u, err);
    if (joined < 0) return -1;
    if (slot_at(s, 0)->result != PIECE_UNPACKED) begin_steps(s, u);
    s->is_shown = true;
    return 1;
}

/* Content of the first piece. > 0; 0 = there is no more of it; -1. */
static ssize_t give_first(struct unpack_pieces *s, struct unpack *u, uint8_t *p, size_t n, struct err *err) {
    struct unpack_slot *slot = slot_at(s, 0);
    if (s->by_steps) {
        ssize_t r = unpack_by_steps(&s->stepping, p, n, err);
        u->given = s->stepping.given;
        return r;
    }
    size_t left = slot->piece.out.n - slot->given;
    if (n > left) n = left;
    if (n) memcpy(p, slot->piece.out.p + slot->given, n);
    slot->given += n;
    u->given += n;
    return (ssize_t)n;
}

ssize_t unpack_pieces_read(struct unpack_pieces *s, struct unpack *u, uint8_t *p, size_t n, struct err *err) {
    for (;;) {
        int rc = s->is_shown ? 1 : show_first(s, u, err);
        ssize_t r = rc == 1 ? give_first(s, u, p, n, err) : rc;
        if (r) return r;
        if (rc == 1 && s->ops->follow && s->ops->follow(u, &slot_at(s, 0)->piece, err)) return -1;
        if (rc == 1)
            drop_first(s);
        else if (s->next != NEXT_IS_ERROR)
            return 0;
        else {
            err_keep(err, &s->err);
            return -1;
        }
    }
}

bool unpack_pieces_leave(const struct unpack_pieces *s) {
    return s->next == NEXT_IS_STEPS;
}

/* ---- all of it ---- */

static size_t memory_of(const struct unpack *u) {
    return u->from.memory_bytes ? u->from.memory_bytes : DEFAULT_MEMORY_BYTES;
}

unsigned unpack_pieces_threads(const struct unpack *u) {
    unsigned threads = u->ops->pieces ? u->from.threads : 1;
    while (threads > 1 && threads * u->ops->pieces->thread_bytes > memory_of(u) / 2) threads--;
    return threads;
}

static int plan(struct unpack_pieces *s, const struct unpack *u, struct err *err) {
    unsigned threads = unpack_pieces_threads(u);
    s->memory = memory_of(u) - threads * s->ops->thread_bytes;
    s->most = s->memory / 2 < LARGEST_PIECE_BYTES ? s->memory / 2 : LARGEST_PIECE_BYTES;
    s->n_slots = (size_t)threads * SLOTS_PER_THREAD;
    s->most_helpers = threads - 1;
    s->slots = calloc(s->n_slots, sizeof *s->slots);
    s->helpers = calloc(threads, sizeof *s->helpers);
    return s->slots && s->helpers ? 0 : err_nomem(err, s->n_slots * sizeof *s->slots, "decompression");
}

struct unpack_pieces *unpack_pieces_new(const struct unpack *u, struct err *err) {
    struct unpack_pieces *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "decompression");
        return NULL;
    }
    s->ops = u->ops->pieces;
    hand_over_init(&s->pieces);
    if (!plan(s, u, err)) return s;
    unpack_pieces_free(s);
    return NULL;
}

void unpack_pieces_free(struct unpack_pieces *s) {
    if (!s) return;
    stop_helpers(s);
    for (size_t i = 0; s->slots && i < s->n_slots; i++) release(&s->slots[i]);
    hand_over_free(&s->pieces);
    free(s->slots);
    free(s->helpers);
    free(s);
}
