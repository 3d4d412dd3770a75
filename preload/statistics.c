#include "preload/statistics.h"

void statistics_start(void)
{
}

void statistics_acquired(struct mutex *mutex, const void *site, uint64_t since)
{
    (void)mutex;
    (void)site;
    (void)since;
}

uint64_t statistics_wait_begins(void)
{
    return 0;
}

void statistics_releasing(struct mutex *mutex)
{
    (void)mutex;
}

void statistics_created(struct mutex *mutex, const void *site)
{
    (void)mutex;
    (void)site;
}
