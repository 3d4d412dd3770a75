// SPDX-License-Identifier: MIT
// The lock of the paper, whose context goes from acquire to release: by a guard on the stack, or around a function. A
// thread may hold any number of such locks, with a context for each.
//
//     c++ -std=c++17 examples/context.cpp $(pkg-config --cflags --libs recip)
#include <cstdio>
#include <thread>

#include <recip.hpp>

static recip::reciprocating_lock outer, inner;
static long counter, both;

static void by_guard()
{
    recip::reciprocating_lock::guard held(outer);
    counter++;
    recip::reciprocating_lock::guard also(inner);
    both++;
}

static long around_a_function()
{
    return outer + [] { return ++counter; };
}

// What a guard does, by hand: the same context for acquire and release, on the stack of the thread that does both.
static void by_hand(recip_lock_t &lock, long &value)
{
    recip_lock_context_t context;
    recip_lock_acquire(&lock, &context);
    value++;
    recip_lock_release(&lock, &context);
}

int main()
{
    static recip_lock_t plain = RECIP_LOCK_INIT;
    static long value;
    auto work = [] {
        for (int i = 0; i < 20000; i++) {
            by_guard();
            around_a_function();
            by_hand(plain, value);
        }
    };
    std::thread one(work), other(work);
    one.join();
    other.join();
    std::printf("%ld, %ld, %ld\n", counter, both, value);
    return counter == 80000 && both == 40000 && value == 40000 ? 0 : 1;
}
