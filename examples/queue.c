/* SPDX-License-Identifier: MIT */
/* A condition variable: a queue of fixed size between two producers and three consumers.
 *
 *     cc examples/queue.c $(pkg-config --cflags --libs recip)
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <recip.h>

enum { SIZE = 8, PRODUCERS = 2, CONSUMERS = 3, EACH = 30000 };

struct queue {
    recip_mutex_t mutex;
    recip_cond_t not_full, not_empty;
    int items[SIZE];
    unsigned first, count;
    bool closed;
};

static void put(struct queue *queue, int item)
{
    recip_mutex_lock(&queue->mutex);
    while (queue->count == SIZE) /* a wait may return without a signal */
        recip_cond_wait(&queue->not_full, &queue->mutex);
    queue->items[(queue->first + queue->count++) % SIZE] = item;
    recip_cond_signal(&queue->not_empty);
    recip_mutex_unlock(&queue->mutex);
}

/* False when the queue is closed and empty. */
static bool get(struct queue *queue, int *item)
{
    RECIP_MUTEX_GUARD(&queue->mutex);
    while (!queue->count && !queue->closed)
        recip_cond_wait(&queue->not_empty, &queue->mutex);
    if (!queue->count)
        return false;
    *item = queue->items[queue->first];
    queue->first = (queue->first + 1) % SIZE;
    queue->count--;
    recip_cond_signal(&queue->not_full);
    return true;
}

static void close_queue(struct queue *queue)
{
    RECIP_MUTEX_GUARD(&queue->mutex);
    queue->closed = true;
    recip_cond_broadcast(&queue->not_empty);
}

static struct queue queue; /* all zeroes: ready for use */

static void *produce(void *unused)
{
    for (int i = 1; i <= EACH; i++)
        put(&queue, i);
    return unused;
}

static void *consume(void *sum)
{
    for (int item; get(&queue, &item);)
        *(long *)sum += item;
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    long sums[CONSUMERS] = {0}, sum = 0;
    for (int i = 0; i < CONSUMERS; i++)
        if (pthread_create(&consumers[i], NULL, consume, &sums[i]) != 0)
            return 1;
    for (int i = 0; i < PRODUCERS; i++)
        if (pthread_create(&producers[i], NULL, produce, NULL) != 0)
            return 1;
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    close_queue(&queue);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], NULL);
        sum += sums[i];
    }
    printf("the items add up to %ld\n", sum);
    return sum != (long)PRODUCERS * EACH * (EACH + 1) / 2;
}
