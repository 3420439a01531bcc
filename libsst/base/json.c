/* Places in JSON texts, for messages, and allocation hooks of the JSON library that keep count of failures. Hooks get no
 * argument, so the count, what a thread has forgiven of it, and the reserve are the only variables of the process in this tree:
 * whichever thread loses a member of whichever document, what the process publishes is in doubt. The library is not sound after
 * each failure (jansson 2.14 corrupts the heap in some), so the reserve serves what malloc refuses: the run ends with an error
 * anyway, and until then nothing crashes. */
#include "base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESERVE_BYTES = 1 << 20 }; /* not touched unless it is needed */

static atomic_ulong failed_allocations;
static _Thread_local unsigned long forgiven; /* so many of them: 0 in programs, which end after the first */
static atomic_size_t reserve_used;
static _Alignas(max_align_t) uint8_t reserve[RESERVE_BYTES];

static void *take_reserve(size_t n) {
    const size_t unit = _Alignof(max_align_t), rounded = n <= RESERVE_BYTES ? (n + unit - 1) / unit * unit : RESERVE_BYTES + 1;
    size_t at = atomic_load(&reserve_used);
    do {
        if (rounded > RESERVE_BYTES - at) return NULL;
    } while (!atomic_compare_exchange_weak(&reserve_used, &at, at + rounded));
    return reserve + at;
}

void *json_memory_alloc(size_t n) {
    void *p = malloc(n);
    if (p) return p;
    json_memory_note_lost();
    return take_reserve(n);
}

void json_memory_note_lost(void) {
    atomic_fetch_add(&failed_allocations, 1);
}

/* Frees p; memory that came from the reserve stays there. */
void json_memory_free(void *p) {
    if ((uintptr_t)p - (uintptr_t)reserve >= RESERVE_BYTES) free(p);
}

void json_memory_forgive(void) {
    forgiven = atomic_load(&failed_allocations);
}

void json_memory_watch(void) {
    json_set_alloc_funcs(json_memory_alloc, json_memory_free);
}

int json_memory_check(struct err *err) {
    if (atomic_load(&failed_allocations) == forgiven) return 0;
    if (err->code) return -1;
    err_set(err, ERR_LIMIT, "out of memory in a JSON document");
    err->sys = ENOMEM;
    return -1;
}

char *json_memory_dump(json_t *j, size_t flags, const char *what, struct err *err) {
    char *text = j ? json_dumps(j, flags) : NULL;
    json_decref(j);
    if (text && !json_memory_check(err)) return text;
    json_memory_free(text);
    err_nomem(err, 0, what);
    return NULL;
}

json_t *json_members_put(json_t *object, ...) {
    va_list ap;
    const char *name;
    va_start(ap, object);
    while ((name = va_arg(ap, const char *))) (void)json_object_set_new(object, name, va_arg(ap, json_t *));
    va_end(ap);
    return object;
}

/* ---- places in a text ---- */

static bool is_plain(const char *key) {
    for (const char *p = key; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_')) return false;
    return *key != 0;
}

int json_place_print(const struct json_place *at, struct buf *out, struct err *err) {
    if (!at->up) return buf_printf(out, err, "$");
    if (json_place_print(at->up, out, err)) return -1;
    if (!at->key) return buf_printf(out, err, "[%zu]", at->index);
    return buf_printf(out, err, is_plain(at->key) ? ".%s" : "[\"%s\"]", at->key);
}

/* A walk over valid JSON. */
struct json_walk {
    const uint8_t *p, *end;
};

static void skip_blanks(struct json_walk *w) {
    while (w->p < w->end && strchr(" \t\r\n,:", *w->p) && *w->p) w->p++;
}

/* The string at p, without its quotes, otherwise unchanged. */
static struct bytes take_string(struct json_walk *w) {
    const uint8_t *from = ++w->p;
    while (w->p < w->end && *w->p != '"') w->p += *w->p == '\\' ? 2 : 1;
    if (w->p > w->end) w->p = w->end;
    struct bytes s = {from, (size_t)(w->p - from)};
    if (w->p < w->end) w->p++;
    return s;
}

static void skip_value(struct json_walk *w) {
    size_t depth = 0;
    do {
        skip_blanks(w);
        if (w->p == w->end) return;
        uint8_t c = *w->p;
        if (c == '"') {
            take_string(w);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth;
        if (strchr("{}[]", c))
            w->p++;
        else
            while (w->p < w->end && !strchr(" \t\r\n,:{}[]\"", *w->p)) w->p++;
    } while (depth);
}

/* Moves from the start of an object or array to the start of one of its values. */
static bool go_down(struct json_walk *w, const struct json_place *step) {
    if (w->p == w->end || *w->p++ != (step->key ? '{' : '[')) return false;
    for (size_t i = 0;; i++) {
        skip_blanks(w);
        if (w->p == w->end || *w->p == '}' || *w->p == ']') return false;
        bool found = !step->key && i == step->index;
        if (step->key) found = bytes_eq(take_string(w), bytes_str(step->key));
        skip_blanks(w);
        if (found) return true;
        skip_value(w);
    }
}

/* Goes as far as there is something; *at_p stays at the last value found. */
static bool follow_place(struct json_walk *w, const struct json_place *at, const uint8_t **at_p) {
    if (at->up && !follow_place(w, at->up, at_p)) return false;
    if (!at->up)
        skip_blanks(w);
    else if (!go_down(w, at))
        return false;
    *at_p = w->p;
    return true;
}

size_t json_place_line(struct bytes text, const struct json_place *at) {
    struct json_walk w = {text.p, text.p + text.n};
    const uint8_t *found = text.p;
    size_t line = 1;
    follow_place(&w, at, &found);
    for (const uint8_t *p = text.p; p < found; p++) line += *p == '\n';
    return line;
}
