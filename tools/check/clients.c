/* SPDX-License-Identifier: MIT */
/* Which clients there are, and which of them are for a lock. */
#include "check/clients.h"

#include <string.h>

bool lock_is_mutex(const struct recip_algorithm *lock)
{
    return lock->family == RECIP_FAMILY_MUTEX;
}

/* The mutex's own, by number; then null. */
static const struct client_set *mutex_set(unsigned number)
{
    for (unsigned i = 0; i < number; i++)
        if (!mutex_client_sets[i])
            return NULL;
    return mutex_client_sets[number];
}

const struct client_set *client_set_at(unsigned number)
{
    return number == 0 ? &standard_clients : mutex_set(number - 1);
}

const struct client_set *lock_client_set(const struct recip_algorithm *lock, unsigned number)
{
    return number == 0 || lock_is_mutex(lock) ? client_set_at(number) : NULL;
}

const struct lock_client *lock_client_find(const char *name)
{
    const struct client_set *set;
    for (unsigned s = 0; (set = client_set_at(s)) != NULL; s++)
        for (size_t i = 0; i < set->count; i++)
            if (strcmp(set->clients[i].name, name) == 0)
                return &set->clients[i];
    return NULL;
}

static bool is_of_mutex(const struct lock_client *client)
{
    const struct client_set *set;
    for (unsigned s = 0; (set = mutex_set(s)) != NULL; s++)
        if (client >= set->clients && client < set->clients + set->count)
            return true;
    return false;
}

const char *lock_client_refuses(const struct lock_client *client, const struct recip_algorithm *lock)
{
    if (lock->traits & RECIP_NATIVE)
        return "it is the system's, not of this source";
    if (is_of_mutex(client) && !lock_is_mutex(lock))
        return "it is about the mutex";
    return client->refuses ? client->refuses(lock) : NULL;
}
