/* SPDX-License-Identifier: MIT */
/* The C++ face: the standard library's guards take these types, and the paper's forms work. */
#include <recip.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <type_traits>
#include <vector>

using namespace std::chrono_literals;

static_assert(sizeof(recip::mutex) == 16 && sizeof(recip::timed_mutex) == 16);
static_assert(!std::is_copy_constructible_v<recip::mutex>);

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                         \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

static constexpr int threads = 4, times = 20000 / TEST_SCALE / 10 * 10;

template <class Body> static void run(Body body)
{
    std::vector<std::thread> all;
    all.reserve(threads);
    for (int i = 0; i < threads; i++)
        all.emplace_back([&, i] {
            for (int n = 0; n < times; n++)
                body(i, n);
        });
    for (auto &each : all)
        each.join();
}

static void guards()
{
    static recip::mutex first; /* constant-initialised */
    recip::mutex second(1), third(0u);
    long count = 0;
    run([&](int thread, int) {
        if (thread % 2) {
            std::scoped_lock all(first, second, third);
            count++;
        } else {
            std::scoped_lock all(third, first, second);
            count++;
        }
    });
    MUST(count == long(threads) * times);
    std::unique_lock held(first, std::try_to_lock);
    MUST(held.owns_lock());
    MUST(!first.try_lock());
    bool refused = false;
    try {
        recip::mutex wrong(RECIP_BOUND_MAX + 1);
    } catch (const std::system_error &) {
        refused = true;
    }
    MUST(refused);
}

static void timed()
{
    recip::timed_mutex mutex;
    {
        std::unique_lock held(mutex);
        std::thread([&] {
            MUST(!mutex.try_lock_for(1ms));
            MUST(!mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
            MUST(!mutex.try_lock_until(std::chrono::steady_clock::now() - 1h));
            std::unique_lock late(mutex, 1ms);
            MUST(!late.owns_lock());
        }).join();
    }
    MUST(mutex.try_lock_for(1h));
    mutex.unlock();
}

template <class Condition, class Mutex> static void conditions()
{
    Mutex mutex;
    Condition condition;
    int turn = 0;
    std::vector<std::thread> all;
    all.reserve(threads);
    for (int i = 0; i < threads; i++)
        all.emplace_back([&, i] {
            for (int n = 0; n < 500; n++) {
                std::unique_lock held(mutex);
                condition.wait(held, [&] { return turn % threads == i; });
                turn++;
                condition.notify_all();
            }
        });
    for (auto &each : all)
        each.join();
    MUST(turn == threads * 500);
    std::unique_lock held(mutex);
    MUST(condition.wait_for(held, 1ms) == std::cv_status::timeout);
    MUST(!condition.wait_until(held, std::chrono::system_clock::now() + 1ms, [] { return false; }));
}

static void semaphore()
{
    recip::binary_semaphore permits(1);
    long count = 0;
    run([&](int, int n) {
        if (n % 10)
            return;
        permits.acquire();
        count++;
        permits.release();
    });
    MUST(count == threads * times / 10);
    permits.acquire();
    MUST(!permits.try_acquire() && !permits.try_acquire_for(1ms));
    recip::counting_semaphore full(recip::counting_semaphore<>::max());
    bool refused = false;
    try {
        full.release();
    } catch (const std::system_error &error) {
        refused = error.code() == std::errc::value_too_large;
    }
    MUST(refused);
    refused = false;
    try {
        recip::counting_semaphore<2> wrong(-1);
    } catch (const std::system_error &error) {
        refused = error.code() == std::errc::invalid_argument;
    }
    MUST(refused);
}

static void lock_of_the_paper()
{
    recip::reciprocating_lock lock;
    long count = 0;
    run([&](int thread, int) {
        if (thread % 2) {
            recip::reciprocating_lock::guard held(lock);
            count++;
        } else {
            lock + [&] { count++; };
        }
    });
    MUST(count == long(threads) * times);
    long seen = lock + [&] { return count; };
    MUST(seen == count);
    recip::reciprocating_lock::guard held(lock);
    MUST(!recip::reciprocating_lock::guard(lock, std::try_to_lock).owns_lock());
}

int main() // NOLINT(bugprone-exception-escape): then the test fails
{
    guards();
    timed();
    conditions<recip::condition_variable, recip::mutex>();
    conditions<std::condition_variable_any, recip::mutex>();
    conditions<recip::condition_variable, recip::timed_mutex>();
    semaphore();
    lock_of_the_paper();
}
