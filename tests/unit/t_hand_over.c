/* Turns come in order whatever the threads do, and who waits for a change sees it. */
#include "base/hand_over.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 4, TURNS = 2000 };

static struct hand_over board = HAND_OVER_INITIALIZER;

struct log {
    struct hand_over turns;
    uint64_t taken, written[TURNS]; /* without a lock of their own: who has the turn is alone */
};

static void *write_in_turn(void *arg) {
    struct log *l = arg;
    for (;;) {
        uint64_t mine = __atomic_fetch_add(&l->taken, 1, __ATOMIC_RELAXED);
        if (mine >= TURNS) return NULL;
        hand_over_await_turn(&l->turns, mine);
        l->written[l->turns.turn] = mine;
        hand_over_end_turn(&l->turns);
    }
}

static void turns_come_in_order(void **state) {
    static struct log l;
    pthread_t threads[THREADS];
    (void)state;
    hand_over_init(&l.turns);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_in_turn, &l), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (uint64_t i = 0; i < TURNS; i++) assert_int_equal(l.written[i], i);
    hand_over_free(&l.turns);
}

/* Filled and emptied by turns: each side waits for what the other one has changed. */
static void *empty_it(void *arg) {
    uint64_t *cup = arg;
    for (int i = 0; i < TURNS; i++) {
        hand_over_lock(&board);
        while (!*cup) hand_over_wait(&board);
        *cup = 0;
        hand_over_changed(&board);
        hand_over_unlock(&board);
    }
    return NULL;
}

static void changes_are_seen(void **state) {
    uint64_t cup = 0;
    pthread_t other;
    (void)state;
    assert_int_equal(pthread_create(&other, NULL, empty_it, &cup), 0);
    for (int i = 0; i < TURNS; i++) {
        hand_over_lock(&board);
        while (cup) hand_over_wait(&board);
        cup = 1;
        hand_over_changed(&board);
        hand_over_unlock(&board);
    }
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(cup, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_come_in_order),
        cmocka_unit_test(changes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
