/* SPDX-License-Identifier: MIT */
/* hl1 under `recip check --source`: right while each thread has a pair of faces for each lock, and why "Reciprocating
 * Locks" leaves such locks out. two-face.sh says which clients have to fail. */
#include <recip-check.h>

#include "zoo/hl1.h"

enum { THREADS = 3, LOCKS = 3 };

static struct hl1_lock locks[LOCKS];
static struct hl1_faces faces[THREADS][LOCKS];
static int guarded[LOCKS];
static bool share_faces; /* one pair of faces for all locks of a thread */

static struct hl1_faces *faces_for(unsigned lock)
{
    return &faces[check_self() - 1][share_faces ? 0 : lock];
}

static struct hl1_context enter(unsigned lock)
{
    struct hl1_context context;
    check_arriving(&locks[lock], sizeof locks[lock]);
    hl1_acquire(&locks[lock], faces_for(lock), &context);
    check_owned(&locks[lock]);
    guarded[lock]++;
    return context;
}

static void leave(unsigned lock, struct hl1_context context)
{
    check_leaving(&locks[lock]);
    hl1_release(&context);
    check_released(&locks[lock]);
}

static void use_in_turn(void *which)
{
    for (const char *lock = which; *lock; lock++)
        leave((unsigned)(*lock - '0'), enter((unsigned)(*lock - '0')));
}

static void hold_all(void *unused)
{
    (void)unused;
    struct hl1_context held[LOCKS];
    for (unsigned lock = 0; lock < LOCKS; lock++)
        held[lock] = enter(lock);
    for (unsigned lock = LOCKS; lock-- > 0;)
        leave(lock, held[lock]);
}

static void use_and_end(void *unused)
{
    (void)unused;
    use_in_turn("0");
    check_destroyed(faces_for(0), sizeof *faces_for(0));
}

static void name_all(bool shared)
{
    share_faces = shared;
    check_name(faces[0], sizeof faces[0], "faces1");
    check_name(faces[1], sizeof faces[1], "faces2");
    check_name(faces[2], sizeof faces[2], "faces3");
    for (unsigned lock = 0; lock < LOCKS; lock++) {
        check_name(&locks[lock], sizeof locks[lock], lock == 0 ? "lock" : lock == 1 ? "lock2" : "lock3");
        check_max_overtakes(&locks[lock], 0);
    }
}

static void setup_one_lock(void)
{
    name_all(true);
    /* Three times: the third time a thread shows a face that it has shown. */
    check_thread(use_in_turn, "000");
    check_thread(use_in_turn, "000");
    check_thread(use_in_turn, "0");
}

static void in_turn(bool shared)
{
    name_all(shared);
    check_thread(use_in_turn, "010");
    check_thread(use_in_turn, "0");
}

static void setup_pair_for_each(void)
{
    in_turn(false);
}

static void setup_one_pair(void)
{
    in_turn(true);
}

static void held(bool shared)
{
    name_all(shared);
    check_thread(hold_all, NULL);
    check_thread(use_in_turn, "0");
}

static void setup_held_pair_for_each(void)
{
    held(false);
}

static void setup_held_one_pair(void)
{
    held(true);
}

static void setup_end(void)
{
    name_all(true);
    check_thread(use_and_end, NULL);
    check_thread(use_in_turn, "0");
}

CHECK_CLIENT("one lock", setup_one_lock, NULL)
CHECK_CLIENT("two locks in turn, a pair for each", setup_pair_for_each, NULL)
CHECK_CLIENT("two locks in turn, one pair", setup_one_pair, NULL)
CHECK_CLIENT("three locks held, a pair for each", setup_held_pair_for_each, NULL)
CHECK_CLIENT("three locks held, one pair", setup_held_one_pair, NULL)
CHECK_CLIENT("a thread ends", setup_end, NULL)
