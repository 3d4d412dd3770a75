/* SPDX-License-Identifier: MIT */
/* recip-bench-mutex: the mutexes of other libraries, those that are installed where this is built, behind the same
 * functions as our locks, and our locks; and the pairs of lock and unlock as a program has them, inline. */
#include <jansson.h>
#include <pthread.h>

#include <atomic>
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
#include "bench/helper/peers-ck.h"
#endif

#include <recip.h>

extern "C" {
#include "bench/helper/helper.h"
}

namespace
{

struct Recip {
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    void lock()
    {
        recip_mutex_lock(&mutex);
    }
    void unlock()
    {
        recip_mutex_unlock(&mutex);
    }
};

struct Glibc {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    void lock()
    {
        pthread_mutex_lock(&mutex);
    }
    void unlock()
    {
        pthread_mutex_unlock(&mutex);
    }
};

struct GlibcAdaptive : Glibc {
    GlibcAdaptive()
    {
        mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    }
};

/* The least that a lock can be, for one thread alone: a compare-and-swap and a store. */
struct Bare {
    std::atomic<uint32_t> word{0};
    void lock()
    {
        uint32_t unlocked = 0;
        while (!word.compare_exchange_strong(unlocked, 1, std::memory_order_acquire, std::memory_order_relaxed))
            unlocked = 0;
    }
    void unlock()
    {
        word.store(0, std::memory_order_release);
    }
};

/* Those with a Cond can be waited for as well. */
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
    struct Cond {
        nsync::nsync_cv cond = NSYNC_CV_INIT;
        void wait(Nsync &with)
        {
            nsync_cv_wait(&cond, &with.mutex);
        }
        void signal()
        {
            nsync_cv_signal(&cond);
        }
    };
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
    struct Cond {
        absl::CondVar cond;
        void wait(Absl &with)
        {
            cond.Wait(&with.mutex);
        }
        void signal()
        {
            cond.Signal();
        }
    };
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
    struct Guard { /* with its context on the stack */
        tbb::queuing_mutex::scoped_lock lock;
        explicit Guard(TbbQueuing &of) : lock(of.mutex)
        {
        }
    };
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
    struct Guard { /* likewise */
        peer_ck_lock *word;
        peer_ck_node own;
        explicit Guard(CkMcs &of) : word(&of.word)
        {
            peer_ck_mcs_lock(word, &own);
        }
        ~Guard()
        {
            peer_ck_mcs_unlock(word, &own);
        }
    };
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
    pairs_function *pairs;
    bool cond;         /* it has a condition variable */
    monitor with_cond; /* where it is here */
};

template <class Mutex, class Guard = std::lock_guard<Mutex>> void pairs_of(unsigned count)
{
    alignas(128) static Mutex mutex;
    while (count-- > 0) {
        Guard guard(mutex);
        asm volatile("" ::: "memory");
    }
}

template <class Mutex> recip_algorithm algorithm_of(const char *id)
{
    static_assert(sizeof(Mutex) <= RECIP_LOCK_SIZE_MAX, "raise RECIP_LOCK_SIZE_MAX");
    recip_algorithm algorithm{};
    algorithm.id = id;
    algorithm.init = [](void *at) { new (at) Mutex; };
    algorithm.destroy = [](void *at) { static_cast<Mutex *>(at)->~Mutex(); };
    algorithm.mutex_lock = [](void *at) { static_cast<Mutex *>(at)->lock(); };
    algorithm.mutex_unlock = [](void *at) { static_cast<Mutex *>(at)->unlock(); };
    return algorithm;
}

template <class Mutex> struct Monitor {
    alignas(128) Mutex mutex;
    alignas(128) typename Mutex::Cond cond;
};

template <class Mutex> monitor monitor_of(const char *id)
{
    using Both = Monitor<Mutex>;
    static_assert(sizeof(Both) <= MONITOR_SIZE_MAX, "raise MONITOR_SIZE_MAX");
    return {
        id,
        [](void *at) { new (at) Both; },
        [](void *at) { static_cast<Both *>(at)->~Both(); },
        [](void *at) { static_cast<Both *>(at)->mutex.lock(); },
        [](void *at) { static_cast<Both *>(at)->mutex.unlock(); },
        [](void *at) { static_cast<Both *>(at)->cond.wait(static_cast<Both *>(at)->mutex); },
        [](void *at) { static_cast<Both *>(at)->cond.signal(); },
    };
}

template <class Mutex, class Guard = std::lock_guard<Mutex>> Peer peer(const char *id, const char *package, bool spins)
{
    return {package, spins, true, algorithm_of<Mutex>(id), pairs_of<Mutex, Guard>, false, {}};
}

template <class Mutex> Peer peer_with_cond(const char *id, const char *package, bool spins)
{
    return {package, spins, true, algorithm_of<Mutex>(id), pairs_of<Mutex>, true, monitor_of<Mutex>(id)};
}

[[maybe_unused]] Peer missing(const char *id, const char *package, bool spins, bool cond = false)
{
    recip_algorithm algorithm{};
    algorithm.id = id;
    return {package, spins, false, algorithm, nullptr, cond, {}};
}

enum { SLEEPS = false, SPINS = true, HAS_COND = true };

/* What is no mutex, but measures one. */
const char bare[] = "bare";

const Peer peers[] = {
    peer<std::mutex>("std", "g++", SLEEPS),
#ifdef HAVE_NSYNC
    peer_with_cond<Nsync>("nsync", "libnsync-dev", SLEEPS),
#else
    missing("nsync", "libnsync-dev", SLEEPS, HAS_COND),
#endif
#ifdef HAVE_ABSL
    peer_with_cond<Absl>("absl", "libabsl-dev", SLEEPS),
#else
    missing("absl", "libabsl-dev", SLEEPS, HAS_COND),
#endif
#ifdef HAVE_TBB
    peer<TbbQueuing, TbbQueuing::Guard>("tbb-queuing", "libtbb-dev", SPINS),
    peer<tbb::spin_mutex>("tbb-spin", "libtbb-dev", SPINS),
#else
    missing("tbb-queuing", "libtbb-dev", SPINS),
    missing("tbb-spin", "libtbb-dev", SPINS),
#endif
#ifdef HAVE_CK
    peer<CkMcs, CkMcs::Guard>("ck-mcs", "libck-dev", SPINS),
    peer<CkClh>("ck-clh", "libck-dev", SPINS),
    peer<Ck<peer_ck_ticket_lock, peer_ck_ticket_unlock>>("ck-ticket", "libck-dev", SPINS),
    peer<Ck<peer_ck_fas_lock, peer_ck_fas_unlock>>("ck-fas", "libck-dev", SPINS),
#else
    missing("ck-mcs", "libck-dev", SPINS),
    missing("ck-clh", "libck-dev", SPINS),
    missing("ck-ticket", "libck-dev", SPINS),
    missing("ck-fas", "libck-dev", SPINS),
#endif
    peer<Bare>(bare, "g++", SPINS),
};

/* Those of the registry whose pairs are known here. */
const struct {
    const char *id;
    pairs_function *pairs;
} ours[] = {
    {"mutex", pairs_of<Recip>},
    {"pthread", pairs_of<Glibc>},
    {"pthread-adaptive", pairs_of<GlibcAdaptive>},
};

const recip_algorithm *find(const char *subject)
{
    for (const Peer &one : peers)
        if (one.here && std::strcmp(one.algorithm.id, subject) == 0)
            return &one.algorithm;
    return recip_algorithm_find(subject);
}

pairs_function *find_pairs(const char *subject)
{
    for (const Peer &one : peers)
        if (std::strcmp(one.algorithm.id, subject) == 0)
            return one.pairs;
    for (const auto &one : ours)
        if (std::strcmp(one.id, subject) == 0)
            return one.pairs;
    return nullptr;
}

const monitor *find_monitor(const char *subject)
{
    for (const Peer &one : peers)
        if (one.here && one.cond && std::strcmp(one.algorithm.id, subject) == 0)
            return &one.with_cond;
    return monitor_find(subject);
}

json_t *list()
{
    json_t *all = json_array();
    for (const Peer &one : peers)
        json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:b, s:b, s:b}", "id", one.algorithm.id, "package",
                                             one.package, "spins", one.spins, "here", one.here, "cond", one.cond,
                                             "only_pair", one.algorithm.id == bare));
    return all;
}

} // namespace

int main(int argc, char **argv)
{
    const helper mutexes{find, false, nullptr, list, find_pairs, find_monitor};
    return helper_main(&mutexes, argc, argv);
}
