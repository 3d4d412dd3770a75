/* SPDX-License-Identifier: MIT */
/* statistics: mutexes that the statistics have to name. Each wait begins while the mutex is held, and the mutex is held
 * until the waiter sleeps. */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shop
{
static std::mutex till;
} // namespace shop

template <class Item, int size, bool is_wide> struct Shelf {
    static std::mutex lock;
};
template <class Item, int size, bool is_wide> std::mutex Shelf<Item, size, is_wide>::lock;
using Books = Shelf<std::map<std::string, std::vector<std::pair<int[3], std::string>>>, -3, true>;

static std::mutex rows[64];
static std::mutex queue_mutex;
static std::condition_variable queue_signal;
static bool ready;

class Account
{
  public:
    Account() = default;
    __attribute__((noinline)) void deposit(int amount)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        balance_ += amount;
    }
    __attribute__((noinline)) void withdraw(int amount)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        balance_ -= amount;
    }
    ~Account();

  private:
    std::mutex mutex_;
    long balance_ = 0;
};

__attribute__((noinline)) Account::~Account()
{
    std::lock_guard<std::mutex> guard(mutex_);
}

static void wait_until_asleep(pid_t thread)
{
    std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
    char state = 0;
    while (state != 'S') {
        FILE *file = std::fopen(path.c_str(), "r");
        if (!file || std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            std::_Exit(1);
        std::fclose(file);
        usleep(1000);
    }
}

static std::atomic<pid_t> other;

__attribute__((noinline)) static void pay()
{
    std::lock_guard<std::mutex> guard(shop::till);
    asm volatile("" ::: "memory"); /* no tail call */
}

static void wait_for_till()
{
    std::thread customer;
    {
        std::lock_guard<std::mutex> guard(shop::till);
        customer = std::thread([] {
            pthread_setname_np(pthread_self(), "customer");
            other = gettid();
            pay();
        });
        while (other == 0)
            usleep(1000);
        wait_until_asleep(other);
    }
    customer.join();
}

/* The signal is given by the owner, so the waiter is moved to the mutex. */
static void wait_for_signal()
{
    other = 0;
    std::thread waiter([] {
        std::unique_lock<std::mutex> lock(queue_mutex);
        other = gettid();
        queue_signal.wait(lock, [] { return ready; });
    });
    while (other == 0)
        usleep(1000);
    wait_until_asleep(other);
    {
        std::lock_guard<std::mutex> guard(queue_mutex);
        ready = true;
        queue_signal.notify_one();
    }
    waiter.join();
}

int main()
{
    wait_for_till();
    wait_for_signal();
    Books::lock.lock();
    Books::lock.unlock();
    for (auto &row : rows)
        std::lock_guard<std::mutex> guard(row);
    Account *accounts = new Account[8];
    for (int i = 0; i < 8; i++) {
        if (i % 2)
            accounts[i].deposit(1);
        else
            accounts[i].withdraw(1);
    }
    delete[] accounts;
    return 0;
}
