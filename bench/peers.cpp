/* recip-bench-mutex: the mutexes of other libraries, those that are installed where this is built, behind the same
 * functions as our locks, and our locks. */
#include <jansson.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <new>

#ifdef HAVE_NSYNC
#include <nsync.h>
#endif
#ifdef HAVE_ABSL
#include <absl/synchronization/mutex.h>
#endif
#ifdef HAVE_TBB
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>
#endif
#ifdef HAVE_CK
#include "bench/peers-ck.h"
#endif

extern "C" {
#include "bench/helper.h"
}

namespace
{

#ifdef HAVE_NSYNC
struct Nsync {
    nsync::nsync_mu mutex = NSYNC_MU_INIT;
    void lock()
    {
        nsync_mu_lock(&mutex);
    }
    void unlock()
    {
        nsync_mu_unlock(&mutex);
    }
};
#endif

#ifdef HAVE_ABSL
struct Absl {
    absl::Mutex mutex;
    void lock()
    {
        mutex.Lock();
    }
    void unlock()
    {
        mutex.Unlock();
    }
};
#endif

#ifdef HAVE_TBB
struct TbbQueuing {
    tbb::queuing_mutex mutex;
    static thread_local tbb::queuing_mutex::scoped_lock held;
    void lock()
    {
        held.acquire(mutex);
    }
    void unlock()
    {
        held.release();
    }
};
thread_local tbb::queuing_mutex::scoped_lock TbbQueuing::held;
#endif

#ifdef HAVE_CK
struct CkMcs {
    peer_ck_lock word{};
    static thread_local peer_ck_node node;
    void lock()
    {
        peer_ck_mcs_lock(&word, &node);
    }
    void unlock()
    {
        peer_ck_mcs_unlock(&word, &node);
    }
};
thread_local peer_ck_node CkMcs::node;

template <void take(peer_ck_lock *), void give(peer_ck_lock *)> struct Ck {
    peer_ck_lock word{};
    void lock()
    {
        take(&word);
    }
    void unlock()
    {
        give(&word);
    }
};

struct CkClh : Ck<peer_ck_clh_lock, peer_ck_clh_unlock> {
    CkClh()
    {
        peer_ck_clh_init(&word);
    }
};
#endif

struct Peer {
    const char *package; /* where it comes from */
    bool spins;          /* and does nothing else */
    bool here;           /* it was built in */
    recip_algorithm algorithm;
};

template <class Mutex> recip_algorithm algorithm_of(const char *id)
{
    static_assert(sizeof(Mutex) <= RECIP_MOST_LOCK, "raise RECIP_MOST_LOCK");
    recip_algorithm algorithm{};
    algorithm.id = id;
    algorithm.init = [](void *at) { new (at) Mutex; };
    algorithm.destroy = [](void *at) { static_cast<Mutex *>(at)->~Mutex(); };
    algorithm.mutex_lock = [](void *at) { static_cast<Mutex *>(at)->lock(); };
    algorithm.mutex_unlock = [](void *at) { static_cast<Mutex *>(at)->unlock(); };
    return algorithm;
}

template <class Mutex> Peer peer(const char *id, const char *package, bool spins)
{
    return {package, spins, true, algorithm_of<Mutex>(id)};
}

[[maybe_unused]] Peer missing(const char *id, const char *package, bool spins)
{
    recip_algorithm algorithm{};
    algorithm.id = id;
    return {package, spins, false, algorithm};
}

enum { SLEEPS = false, SPINS = true };

const Peer peers[] = {
    peer<std::mutex>("std", "g++", SLEEPS),
#ifdef HAVE_NSYNC
    peer<Nsync>("nsync", "libnsync-dev", SLEEPS),
#else
    missing("nsync", "libnsync-dev", SLEEPS),
#endif
#ifdef HAVE_ABSL
    peer<Absl>("absl", "libabsl-dev", SLEEPS),
#else
    missing("absl", "libabsl-dev", SLEEPS),
#endif
#ifdef HAVE_TBB
    peer<TbbQueuing>("tbb-queuing", "libtbb-dev", SPINS),
    peer<tbb::spin_mutex>("tbb-spin", "libtbb-dev", SPINS),
#else
    missing("tbb-queuing", "libtbb-dev", SPINS), missing("tbb-spin", "libtbb-dev", SPINS),
#endif
#ifdef HAVE_CK
    peer<CkMcs>("ck-mcs", "libck-dev", SPINS),
    peer<CkClh>("ck-clh", "libck-dev", SPINS),
    peer<Ck<peer_ck_ticket_lock, peer_ck_ticket_unlock>>("ck-ticket", "libck-dev", SPINS),
    peer<Ck<peer_ck_fas_lock, peer_ck_fas_unlock>>("ck-fas", "libck-dev", SPINS),
#else
    missing("ck-mcs", "libck-dev", SPINS),       missing("ck-clh", "libck-dev", SPINS),
    missing("ck-ticket", "libck-dev", SPINS),    missing("ck-fas", "libck-dev", SPINS),
#endif
};

const recip_algorithm *find(const char *subject)
{
    for (const Peer &one : peers)
        if (one.here && std::strcmp(one.algorithm.id, subject) == 0)
            return &one.algorithm;
    return recip_algorithm_find(subject);
}

json_t *list()
{
    json_t *all = json_array();
    for (const Peer &one : peers)
        json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:b}", "id", one.algorithm.id, "package", one.package,
                                             "spins", one.spins, "here", one.here));
    return all;
}

} // namespace

int main(int argc, char **argv)
{
    const helper mutexes{find, false, nullptr, list};
    return helper_main(&mutexes, argc, argv);
}
