// SPDX-License-Identifier: MIT
// The mutex in C++, with the guards of the standard library.
//
//     c++ -std=c++17 examples/account.cpp $(pkg-config --cflags --libs recip)
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <recip.hpp>

class account
{
  public:
    explicit account(long balance) : balance_(balance)
    {
    }

    long balance() const
    {
        std::lock_guard held(mutex_);
        return balance_;
    }

    // Both mutexes, in an order that cannot deadlock.
    friend bool transfer(account &from, account &to, long amount)
    {
        std::scoped_lock held(from.mutex_, to.mutex_);
        if (from.balance_ < amount)
            return false;
        from.balance_ -= amount;
        to.balance_ += amount;
        return true;
    }

  private:
    mutable recip::mutex mutex_;
    long balance_;
};

int main()
{
    account one(1000), other(1000);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            for (int j = 0; j < 10000; j++)
                i % 2 ? transfer(one, other, j % 7) : transfer(other, one, j % 5);
        });
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%ld in both\n", one.balance() + other.balance());
    return one.balance() + other.balance() == 2000 ? 0 : 1;
}
