/* One condition serves all who wait: they are as many as threads at most, so waking a few too many costs less than to know whom
 * a change concerns. Turns sleep, where the ordered construct of OpenMP would spin. */
#include "base/hand_over.h"

void hand_over_init(struct hand_over *h) {
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    h->turn = 0;
}

void hand_over_free(struct hand_over *h) {
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
}

void hand_over_wait(struct hand_over *h) {
    pthread_cond_wait(&h->changed, &h->lock);
}

void hand_over_changed(struct hand_over *h) {
    pthread_cond_broadcast(&h->changed);
}

void hand_over_await_turn(struct hand_over *h, uint64_t number) {
    hand_over_lock(h);
    while (h->turn != number) hand_over_wait(h);
    hand_over_unlock(h);
}

void hand_over_end_turn(struct hand_over *h) {
    hand_over_lock(h);
    h->turn++;
    hand_over_changed(h);
    hand_over_unlock(h);
}
