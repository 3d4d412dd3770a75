/* SPDX-License-Identifier: MIT */
/* What check-slips reads; no program includes it. */
#define NOBODY ((struct seat *)0)
#define PAIR(name)                                                                                                     \
    static inline int name##_both(int left, int right)                                                                 \
    {                                                                                                                  \
        return left + right;                                                                                           \
    }

enum { FREE, TAKEN = 4 };

struct seat {
    struct seat *next, *previous;
    int state;
};

/* A comment { that has a brace. */
static inline bool sit(struct seat *seat, struct seat *other, int turns)
{
    (void)turns;
    while (seat->next != other)
        relax();
    if (!other && turns < 3)
        return false;
    seat->state = TAKEN;
    stand(seat, other);
    return true;
}
