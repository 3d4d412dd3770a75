/* SPDX-License-Identifier: MIT */
/* C++ on the library: the standard mutexes and condition variables, and a cancelled thread whose destructors run with
 * the mutex held. */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Locked before main, without a constructor having run: std::mutex is initialised by the compiler. */
static std::mutex early;
static int early_count = [] {
    std::lock_guard<std::mutex> guard(early);
    return 1;
}();

template <class Mutex> static void check_exclusion()
{
    Mutex mutex;
    long count = 0;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            for (int round = 0; round < 10000; round++) {
                std::lock_guard<Mutex> guard(mutex);
                count++;
            }
        });
    for (auto &thread : threads)
        thread.join();
    CHECK(count == 40000);
}

static void check_timed()
{
    std::timed_mutex mutex;
    std::recursive_timed_mutex recursive;
    mutex.lock();
    std::thread([&] {
        CHECK(!mutex.try_lock_for(2ms));
        CHECK(!mutex.try_lock_until(std::chrono::system_clock::now() + 2ms));
        CHECK(recursive.try_lock_for(1s) && recursive.try_lock_for(1s));
        recursive.unlock();
        recursive.unlock();
    }).join();
    mutex.unlock();
}

template <class Cond, class Mutex> static void check_cond()
{
    Mutex mutex;
    Cond cond;
    int stage = 0;
    std::thread thread([&] {
        std::unique_lock<Mutex> lock(mutex);
        cond.wait(lock, [&] { return stage == 1; });
        stage = 2;
        cond.notify_all();
    });
    std::unique_lock<Mutex> lock(mutex);
    CHECK(!cond.wait_for(lock, 2ms, [&] { return stage == 2; }));
    CHECK(cond.wait_until(lock, std::chrono::steady_clock::now() + 2ms) == std::cv_status::timeout);
    stage = 1;
    cond.notify_one();
    CHECK(cond.wait_for(lock, 100s, [&] { return stage == 2; }));
    lock.unlock();
    thread.join();
}

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool waits, destroyed;

struct unlocker {
    ~unlocker()
    {
        destroyed = true;
        if (pthread_mutex_unlock(&mutex) != 0) /* EPERM, were it not this thread's */
            _Exit(2);
    }
};

static void *wait_for_good(void *)
{
    pthread_mutex_lock(&mutex);
    unlocker at_end;
    waits = true;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
}

static void check_unwinding()
{
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, nullptr, wait_for_good, nullptr) == 0);
    for (bool there = false; !there; std::this_thread::yield()) {
        pthread_mutex_lock(&mutex);
        there = waits;
        pthread_mutex_unlock(&mutex);
    }
    CHECK(pthread_cancel(thread) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED && destroyed);
    CHECK(pthread_mutex_trylock(&mutex) == 0);
}

int main()
{
    CHECK(early_count == 1);
    check_exclusion<std::mutex>();
    check_exclusion<std::recursive_mutex>();
    check_exclusion<std::timed_mutex>();
    check_exclusion<std::shared_mutex>();
    check_timed();
    check_cond<std::condition_variable, std::mutex>();
    check_cond<std::condition_variable_any, std::recursive_mutex>();
    check_unwinding();
    return 0;
}
