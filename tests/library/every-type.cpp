/* SPDX-License-Identifier: MIT */
/* Uses every public name of <recip.hpp>: headers.sh compiles it with all warnings, with and without exceptions. */
#include <recip.hpp>

bool uses_a_mutex(std::uint32_t bound);
bool uses_a_condition_variable(const std::chrono::system_clock::time_point &time);
bool uses_a_semaphore(const std::chrono::steady_clock::time_point &time);
int uses_the_lock();

static recip::mutex plain; /* initialised before the program runs */
static recip::timed_mutex timed(7);
static recip::condition_variable ready;
static recip::counting_semaphore<> slots(3);
static recip::binary_semaphore one(1);
static recip::reciprocating_lock lock;

bool uses_a_mutex(std::uint32_t bound)
{
    recip::mutex own(bound);
    std::scoped_lock held(plain, own);
    recip::mutex::native_handle_type handle = own.native_handle();
    if (handle == nullptr || !timed.try_lock_for(std::chrono::milliseconds(1)))
        return false;
    std::unique_lock<recip::timed_mutex> adopted(timed, std::adopt_lock);
    return plain.try_lock() && timed.try_lock_until(std::chrono::system_clock::now());
}

bool uses_a_condition_variable(const std::chrono::system_clock::time_point &time)
{
    std::unique_lock<recip::timed_mutex> held(timed);
    recip::condition_variable::native_handle_type handle = ready.native_handle();
    ready.notify_one();
    ready.notify_all();
    ready.wait(held);
    ready.wait(held, [] { return true; });
    return handle && ready.wait_for(held, std::chrono::seconds(1)) == std::cv_status::timeout &&
           ready.wait_until(held, time) == std::cv_status::timeout &&
           ready.wait_for(held, std::chrono::duration<double>(0.5), [] { return true; }) &&
           ready.wait_until(held, time, [] { return true; });
}

bool uses_a_semaphore(const std::chrono::steady_clock::time_point &time)
{
    slots.acquire();
    slots.release();
    slots.release(2);
    one.release(one.max());
    return slots.try_acquire() || slots.try_acquire_until(time) || one.try_acquire_for(std::chrono::microseconds(1));
}

int uses_the_lock()
{
    recip::reciprocating_lock::guard held(lock);
    recip::reciprocating_lock::guard tried(lock, std::try_to_lock);
    return tried.owns_lock() ? 0 : lock + [] { return 1; };
}
