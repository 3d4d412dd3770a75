/* SPDX-License-Identifier: MIT */
/* waits-glibc: a C++ program in which two threads wait for each other's account, readers and writers wait for a writer,
 * and the main thread for the end of a thread that waits for its mutex. It ends by a signal. */
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <pthread.h>
#include <unistd.h>

struct Account {
    std::mutex mutex;
    long sum = 0;
};

static Account left, right;
static std::shared_mutex table;
static std::mutex till;
static std::condition_variable served;
static pthread_barrier_t both_hold_one, is_written;

__attribute__((noinline)) static void transfer(Account &from, Account &to)
{
    std::lock_guard<std::mutex> first(from.mutex);
    pthread_barrier_wait(&both_hold_one);
    std::lock_guard<std::mutex> second(to.mutex);
    from.sum--;
    to.sum++;
}

template <typename Body> static std::thread named(const char *name, Body body)
{
    return std::thread([=] {
        pthread_setname_np(pthread_self(), name);
        body();
    });
}

int main()
{
    pthread_barrier_init(&both_hold_one, nullptr, 2);
    pthread_barrier_init(&is_written, nullptr, 2);
    named("goes-right", [] { transfer(left, right); }).detach();
    named("goes-left", [] { transfer(right, left); }).detach();
    named("writer", [] {
        std::unique_lock<std::shared_mutex> lock(table);
        pthread_barrier_wait(&is_written);
        pause();
    }).detach();
    pthread_barrier_wait(&is_written);
    named("second", [] { table.lock(); }).detach();
    named("reader", [] { table.lock_shared(); }).detach();
    named("guest", [] {
        std::mutex own;
        std::unique_lock<std::mutex> lock(own);
        served.wait(lock);
    }).detach();
    std::lock_guard<std::mutex> lock(till);
    named("customer", [] { std::lock_guard<std::mutex> other(till); }).join();
}
