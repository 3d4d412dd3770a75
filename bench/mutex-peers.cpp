/* MutexBench for the mutex and its peers: all candidates in one program, in turn, round after round, so that a change
 * of the machine's mood falls on all alike. Prints medians, as ratios to glibc.
 *
 *     mutex-peers --threads 1,2,4,8 --section step --outside 0 --rounds 7 --seconds 0.3
 *     mutex-peers --pair                 uncontended lock and unlock by one thread, in nanoseconds
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "include/recip.h"
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

namespace
{

/* A candidate: Guard locks when made and unlocks when it ends, so that a lock with a context keeps it there. */
template <class Mutex> struct Simple {
    Mutex mutex{};
    struct Guard {
        Mutex &mutex;
        explicit Guard(Simple &lock) : mutex(lock.mutex)
        {
            mutex.lock();
        }
        ~Guard()
        {
            mutex.unlock();
        }
    };
};

template <unsigned bound> struct Recip {
    recip_mutex_t mutex = RECIP_MUTEX_INIT_BOUND(bound);
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

void relax()
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* The least that a lock can be: a compare-and-swap and a store. */
struct Bare {
    std::atomic<uint32_t> word{0};
    void lock()
    {
        uint32_t expected = 0;
        while (!word.compare_exchange_strong(expected, 1, std::memory_order_acquire)) {
            expected = 0;
            while (word.load(std::memory_order_relaxed))
                relax();
        }
    }
    void unlock()
    {
        word.store(0, std::memory_order_release);
    }
};

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
    struct Guard {
        tbb::queuing_mutex::scoped_lock lock;
        explicit Guard(TbbQueuing &mutex) : lock(mutex.mutex)
        {
        }
    };
};
#endif

#ifdef HAVE_CK
struct CkMcs {
    peer_ck_lock lock{};
    struct Guard {
        CkMcs &mcs;
        peer_ck_node node;
        explicit Guard(CkMcs &held) : mcs(held)
        {
            peer_ck_mcs_lock(&mcs.lock, &node);
        }
        ~Guard()
        {
            peer_ck_mcs_unlock(&mcs.lock, &node);
        }
    };
};

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

using CkTicket = Ck<peer_ck_ticket_lock, peer_ck_ticket_unlock>;
using CkFas = Ck<peer_ck_fas_lock, peer_ck_fas_unlock>;
struct CkClh : Ck<peer_ck_clh_lock, peer_ck_clh_unlock> {
    CkClh()
    {
        peer_ck_clh_init(&word);
    }
};
#endif

enum Section { NOTHING, STEP, LINES, MICROSECOND, HUNDRED };

struct Settings {
    std::vector<unsigned> threads{1, 2, 4, 8, 16, 32};
    Section section = STEP;
    unsigned outside = 0;
    unsigned rounds = 7;
    double seconds = 0.3;
    bool latency = false, pair = false;
    std::string locks;
};

uint64_t nanoseconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}

/* What the lock guards. */
struct alignas(128) Guarded {
    std::mt19937 random{1};
    alignas(128) uint64_t first = 0;
    alignas(128) uint64_t second = 0;
    alignas(128) uint64_t acquisitions = 0;
};

void busy(uint64_t duration)
{
    uint64_t end = nanoseconds() + duration;
    while (nanoseconds() < end) {
    }
}

inline void work(Section section, Guarded &guarded)
{
    switch (section) {
    case NOTHING:
        break;
    case STEP:
        asm volatile("" : : "r"(guarded.random()));
        break;
    case LINES:
        guarded.first++;
        guarded.second++;
        break;
    case MICROSECOND:
        busy(1000);
        break;
    case HUNDRED:
        busy(100000);
        break;
    }
}

struct Result {
    double rate = 0, spread = 0, cpu = 0; /* operations per second; slowest over fastest thread; CPU ns per operation */
    double tail = 0;                      /* 99.9th percentile of the time to acquire, ns */
    uint64_t passed = 0;                  /* most acquisitions of others during one wait */
};

template <class Lock> struct Run {
    const Settings &settings;
    alignas(128) Lock lock;
    alignas(128) Guarded guarded;
    alignas(128) std::atomic<bool> stop{false};
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false};
    struct alignas(128) Thread {
        Run *run;
        pthread_t id;
        uint64_t operations = 0, passed = 0;
        std::vector<uint32_t> waits;
    };

    static void *thread(void *argument)
    {
        Thread &self = *static_cast<Thread *>(argument);
        Run &run = *self.run;
        const Settings &settings = run.settings;
        std::minstd_rand random(unsigned(reinterpret_cast<uintptr_t>(&self) >> 7));
        run.ready++;
        while (!run.go.load(std::memory_order_acquire))
            sched_yield();
        uint64_t operations = 0;
        while (!run.stop.load(std::memory_order_relaxed)) {
            uint64_t start = 0;
            if (settings.latency)
                start = nanoseconds();
            {
                typename Lock::Guard guard(run.lock);
                if (settings.latency && self.waits.size() < 4000000)
                    self.waits.push_back(uint32_t(std::min<uint64_t>(nanoseconds() - start, UINT32_MAX)));
                work(settings.section, run.guarded);
            }
            operations++;
            if (settings.outside)
                for (unsigned n = random() % settings.outside; n; n--)
                    asm volatile("" : : "r"(random()));
        }
        self.operations = operations;
        return nullptr;
    }

    explicit Run(const Settings &s) : settings(s)
    {
    }

    Result operator()(unsigned count)
    {
        std::vector<Thread> threads(count);
        for (Thread &t : threads) {
            t.run = this;
            if (settings.latency)
                t.waits.reserve(4000000);
            if (pthread_create(&t.id, nullptr, thread, &t)) {
                perror("pthread_create");
                exit(1);
            }
        }
        while (ready.load() < count)
            sched_yield();
        rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        uint64_t start = nanoseconds();
        go.store(true, std::memory_order_release);
        timespec duration{time_t(settings.seconds), long((settings.seconds - time_t(settings.seconds)) * 1e9)};
        nanosleep(&duration, nullptr);
        stop.store(true, std::memory_order_relaxed);
        uint64_t end = nanoseconds();
        for (Thread &t : threads)
            pthread_join(t.id, nullptr);
        getrusage(RUSAGE_SELF, &after);
        auto cpu = [](const rusage &u) {
            return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
        };
        Result result;
        uint64_t total = 0, least = UINT64_MAX, most = 0;
        std::vector<uint32_t> waits;
        for (Thread &t : threads) {
            total += t.operations;
            least = std::min(least, t.operations);
            most = std::max(most, t.operations);
            waits.insert(waits.end(), t.waits.begin(), t.waits.end());
        }
        result.rate = double(total) * 1e9 / double(end - start);
        result.spread = most ? double(least) / double(most) : 0;
        result.cpu = total ? (cpu(after) - cpu(before)) / double(total) : 0;
        if (!waits.empty()) {
            auto at = waits.begin() + long(waits.size() * 999 / 1000);
            std::nth_element(waits.begin(), at, waits.end());
            result.tail = *at;
        }
        return result;
    }
};

template <class Lock> double pair_nanoseconds()
{
    static Lock lock;
    constexpr unsigned count = 2000000;
    uint64_t start = nanoseconds();
    for (unsigned i = 0; i < count; i++) {
        typename Lock::Guard guard(lock);
        asm volatile("" ::: "memory");
    }
    return double(nanoseconds() - start) / count;
}

struct Candidate {
    const char *name;
    Result (*run)(const Settings &, unsigned);
    double (*pair)();
};

template <class Lock> Result run(const Settings &settings, unsigned threads)
{
    return (*std::make_unique<Run<Lock>>(settings))(threads);
}

#define CANDIDATE(name, ...)                                                                                           \
    {                                                                                                                  \
        name, run<__VA_ARGS__>, pair_nanoseconds<__VA_ARGS__>                                                          \
    }
const Candidate candidates[] = {
    CANDIDATE("glibc", Simple<Glibc>),
    CANDIDATE("recip", Simple<Recip<RECIP_DEFAULT_BOUND>>),
    CANDIDATE("recip-0", Simple<Recip<0>>),
    CANDIDATE("recip-1000", Simple<Recip<1000>>),
    CANDIDATE("glibc-adaptive", Simple<GlibcAdaptive>),
    CANDIDATE("std", Simple<std::mutex>),
#ifdef HAVE_NSYNC
    CANDIDATE("nsync", Simple<Nsync>),
#endif
#ifdef HAVE_ABSL
    CANDIDATE("absl", Simple<Absl>),
#endif
#ifdef HAVE_TBB
    CANDIDATE("tbb-queuing", TbbQueuing),
    CANDIDATE("tbb-spin", Simple<tbb::spin_mutex>),
#endif
#ifdef HAVE_CK
    CANDIDATE("ck-mcs", CkMcs),
    CANDIDATE("ck-clh", Simple<CkClh>),
    CANDIDATE("ck-ticket", Simple<CkTicket>),
    CANDIDATE("ck-fas", Simple<CkFas>),
#endif
    CANDIDATE("bare", Simple<Bare>),
};

bool chosen(const Settings &settings, const char *name)
{
    if (settings.locks.empty())
        return true;
    return ("," + settings.locks + ",").find("," + std::string(name) + ",") != std::string::npos;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure_pair(const Settings &settings)
{
    std::vector<std::vector<double>> times(std::size(candidates));
    for (unsigned round = 0; round < settings.rounds; round++)
        for (size_t i = 0; i < std::size(candidates); i++)
            if (chosen(settings, candidates[i].name))
                times[i].push_back(candidates[i].pair());
    printf("%-15s %8s %8s\n", "uncontended", "ns", "glibc/it");
    for (size_t i = 0; i < std::size(candidates); i++)
        if (!times[i].empty())
            printf("%-15s %8.2f %8.2f\n", candidates[i].name, median(times[i]), median(times[0]) / median(times[i]));
}

void measure(const Settings &settings, unsigned threads)
{
    std::vector<std::vector<Result>> results(std::size(candidates));
    for (unsigned round = 0; round < settings.rounds; round++)
        for (size_t i = 0; i < std::size(candidates); i++)
            if (chosen(settings, candidates[i].name))
                results[i].push_back(candidates[i].run(settings, threads));
    auto middle = [&](size_t i, double Result::*field) {
        std::vector<double> values;
        for (const Result &r : results[i])
            values.push_back(r.*field);
        return median(values);
    };
    printf("%u threads\n%-15s %9s %8s %8s %8s %9s\n", threads, "", "Mops", "to glibc", "slow/fast", "cpu ns",
           "p99.9 us");
    for (size_t i = 0; i < std::size(candidates); i++) {
        if (results[i].empty())
            continue;
        double ratio = results[0].empty() ? 0 : middle(i, &Result::rate) / middle(0, &Result::rate);
        printf("%-15s %9.3f %8.2f %8.2f %8.0f %9.1f\n", candidates[i].name, middle(i, &Result::rate) / 1e6, ratio,
               middle(i, &Result::spread), middle(i, &Result::cpu), middle(i, &Result::tail) / 1e3);
    }
    fflush(stdout);
}

[[noreturn]] void usage()
{
    fputs("usage: mutex-peers [--pair] [--threads N,N...] [--section nothing|step|lines|1us|100us]\n"
          "                   [--outside N] [--rounds N] [--seconds S] [--latency] [--locks NAME,NAME...]\n",
          stderr);
    exit(2);
}

Section section_of(const char *word)
{
    static const char *const words[] = {"nothing", "step", "lines", "1us", "100us"};
    for (int i = 0; i < 5; i++)
        if (!strcmp(word, words[i]))
            return Section(i);
    usage();
}

} // namespace

int main(int argc, char **argv)
{
    Settings settings;
    static const option options[] = {
        {"threads", 1, nullptr, 't'}, {"section", 1, nullptr, 's'}, {"outside", 1, nullptr, 'o'},
        {"rounds", 1, nullptr, 'r'},  {"seconds", 1, nullptr, 'd'}, {"latency", 0, nullptr, 'l'},
        {"locks", 1, nullptr, 'k'},   {"pair", 0, nullptr, 'p'},    {nullptr, 0, nullptr, 0},
    };
    int letter;
    while ((letter = getopt_long(argc, argv, "", options, nullptr)) != -1) {
        switch (letter) {
        case 't':
            settings.threads.clear();
            for (char *word = strtok(optarg, ","); word; word = strtok(nullptr, ","))
                settings.threads.push_back(unsigned(atoi(word)));
            break;
        case 's':
            settings.section = section_of(optarg);
            break;
        case 'o':
            settings.outside = unsigned(atoi(optarg));
            break;
        case 'r':
            settings.rounds = unsigned(std::max(1, atoi(optarg)));
            break;
        case 'd':
            settings.seconds = atof(optarg);
            break;
        case 'l':
            settings.latency = true;
            break;
        case 'k':
            settings.locks = optarg;
            break;
        case 'p':
            settings.pair = true;
            break;
        default:
            usage();
        }
    }
    if (settings.pair) {
        measure_pair(settings);
        return 0;
    }
    for (unsigned threads : settings.threads)
        measure(settings, threads);
}
