/* SPDX-License-Identifier: MIT */
#include "report/recorder/stepped-threads.h"

#include <string.h>

static struct stepped_threads *current;
static struct stepped_thread *running;
static struct coroutine recorder;
static struct access last;

struct thread *recorder_thread(void)
{
    return &running->record;
}

static void run_thread(void)
{
    for (;;) {
        if (running->task == TASK_ACQUIRE)
            recorded_acquire(&current->lock, &running->context);
        else
            recorded_release(&current->lock, &running->context);
        running->task = TASK_NONE;
        coroutine_switch(&running->coroutine, &recorder);
    }
}

void stepped_start(struct stepped_threads *stepped, int threads)
{
    memset(stepped, 0, sizeof *stepped);
    current = stepped;
    for (int i = 0; i < threads; i++) {
        struct stepped_thread *thread = &stepped->threads[i];
        coroutine_make(&thread->coroutine, thread->stack, sizeof thread->stack, run_thread);
    }
}

static void resume(struct stepped_thread *thread)
{
    running = thread;
    coroutine_switch(&recorder, &thread->coroutine);
}

struct access stepped_step(struct stepped_threads *stepped, int thread)
{
    struct stepped_thread *chosen = &stepped->threads[thread];
    memset(&last, 0, sizeof last);
    resume(chosen);
    if (!last.address) /* it has only just begun, and waits before its first access */
        resume(chosen);
    return last;
}

struct access *stepped_await_turn(void **frame)
{
    coroutine_switch(&running->coroutine, &recorder);
    for (int i = 0; i < FRAMES; i++, frame = *frame)
        last.frames[i] = frame[1];
    return &last;
}
