/* SPDX-License-Identifier: MIT */
/* recip for C++17 and later: <recip.h> as types that the standard library's guards take.
 *
 *     recip::mutex mutex;                  // Lockable: lock_guard, unique_lock, scoped_lock, condition_variable_any
 *     recip::timed_mutex timed;            // TimedLockable
 *     recip::condition_variable ready;     // for unique_lock<recip::mutex>, without the detour of _any
 *     recip::counting_semaphore<> slots{3};
 *
 *     recip::reciprocating_lock lock;      // the paper's lock; its context is on the stack, in the guard
 *     { recip::reciprocating_lock::guard held(lock); ... }
 *     lock + [&] { ... };                  // the same, as the paper writes it; gives what the function returns
 *
 * They have the members of the standard's types of these names. Errors are thrown as std::system_error; a program that
 * is compiled with -fno-exceptions is ended instead, with a line on standard error.
 */
#ifndef RECIP_HPP
#define RECIP_HPP

#if __cplusplus < 201703L
#error "recip.hpp: needs C++17 or later; recip.h alone needs C++11"
#else

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>

#include <recip.h>

namespace recip
{

namespace detail
{

[[noreturn]] inline void fail(int error, const char *what)
{
#ifdef __cpp_exceptions
    throw std::system_error(error, std::generic_category(), what);
#else
    std::fprintf(stderr, "%s: %s\n", what, std::strerror(error));
    std::abort();
#endif
}

/* The time in the form that the C calls take; what lies before the clock's zero has passed. */
template <class Duration> timespec to_timespec(Duration since_zero)
{
    using namespace std::chrono;
    if (since_zero <= Duration::zero())
        return {0, 0};
    auto whole = duration_cast<seconds>(since_zero);
    return {static_cast<time_t>(whole.count()),
            static_cast<long>(ceil<nanoseconds>(since_zero - whole).count() % 1000000000)};
}

/* call(clock, deadline) until it succeeds, fails, or the time has come. The C calls know two clocks; a time of another
 * one is turned into a time of steady_clock, and looked at again when that has passed. */
template <class Clock, class Duration, class Call>
int until(const std::chrono::time_point<Clock, Duration> &time, Call call)
{
    using namespace std::chrono;
    if constexpr (std::is_same_v<Clock, steady_clock>) {
        timespec deadline = to_timespec(time.time_since_epoch());
        return call(CLOCK_MONOTONIC, &deadline);
    } else if constexpr (std::is_same_v<Clock, system_clock>) {
        timespec deadline = to_timespec(time.time_since_epoch());
        return call(CLOCK_REALTIME, &deadline);
    } else {
        for (;;) {
            auto left = time - Clock::now();
            int error = until(steady_clock::now() + ceil<steady_clock::duration>(left), call);
            if (error != ETIMEDOUT || Clock::now() >= time)
                return error;
        }
    }
}

} // namespace detail

/* recip_mutex_t. The bound: how many newcomers may take the mutex before the waiter that is the next in line. */
class RECIP_CAPABILITY_ mutex
{
  public:
    constexpr mutex() noexcept : mutex_ RECIP_MUTEX_INIT
    {
    }
    explicit constexpr mutex(std::uint32_t bound) : mutex_ RECIP_MUTEX_INIT_BOUND(bound)
    {
        if (bound > RECIP_BOUND_MAX)
            detail::fail(EINVAL, "recip::mutex: a bound above RECIP_BOUND_MAX");
    }
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    void lock() noexcept RECIP_ACQUIRES_()
    {
        recip_mutex_lock(&mutex_);
    }
    bool try_lock() noexcept RECIP_TRIES_(true)
    {
        return recip_mutex_trylock(&mutex_) == 0;
    }
    void unlock() noexcept RECIP_RELEASES_()
    {
        recip_mutex_unlock(&mutex_);
    }

    /* Ends the program unless it is locked, by any thread. */
    void assert_held() const noexcept RECIP_ASSERTS_()
    {
        recip_mutex_assert_held(&mutex_);
    }

    using native_handle_type = recip_mutex_t *;
    native_handle_type native_handle() noexcept
    {
        return &mutex_;
    }

  private:
    recip_mutex_t mutex_;
};

class RECIP_CAPABILITY_ timed_mutex : public mutex
{
  public:
    using mutex::mutex;

    template <class Rep, class Period>
    bool try_lock_for(const std::chrono::duration<Rep, Period> &duration) RECIP_TRIES_(true)
    {
        return try_lock_until(std::chrono::steady_clock::now() +
                              std::chrono::ceil<std::chrono::steady_clock::duration>(duration));
    }
    template <class Clock, class Duration>
    bool try_lock_until(const std::chrono::time_point<Clock, Duration> &time) RECIP_TRIES_(true)
    {
        int error = detail::until(time, [&](clockid_t clock, const timespec *deadline) RECIP_NOT_ANALYSED {
            return recip_mutex_clocklock(native_handle(), clock, deadline);
        });
        if (error == ENOMEM)
            detail::fail(error, "recip::timed_mutex: no place in the queue");
        return error == 0;
    }
};

/* Locks a mutex for as long as it lives, as std::lock_guard, and -Wthread-safety knows it: the guards of the standard
 * library are not annotated, or only in libc++. */
template <class Mutex> class RECIP_SAFETY_(scoped_lockable) lock_guard
{
  public:
    explicit lock_guard(Mutex &mutex) RECIP_ACQUIRES_(mutex) : mutex_(mutex)
    {
        mutex_.lock();
    }
    lock_guard(const lock_guard &) = delete;
    lock_guard &operator=(const lock_guard &) = delete;
    ~lock_guard() RECIP_RELEASES_()
    {
        mutex_.unlock();
    }

  private:
    Mutex &mutex_;
};

class condition_variable
{
  public:
    constexpr condition_variable() noexcept : cond_ RECIP_COND_INIT
    {
    }
    condition_variable(const condition_variable &) = delete;
    condition_variable &operator=(const condition_variable &) = delete;

    void notify_one() noexcept
    {
        recip_cond_signal(&cond_);
    }
    void notify_all() noexcept
    {
        recip_cond_broadcast(&cond_);
    }
    template <class Mutex> void wait(std::unique_lock<Mutex> &lock) noexcept RECIP_NOT_ANALYSED
    {
        recip_cond_wait(&cond_, lock.mutex()->native_handle());
    }
    template <class Mutex, class Predicate> void wait(std::unique_lock<Mutex> &lock, Predicate predicate)
    {
        while (!predicate())
            wait(lock);
    }
    template <class Mutex, class Clock, class Duration>
    std::cv_status wait_until(std::unique_lock<Mutex> &lock, const std::chrono::time_point<Clock, Duration> &time)
    {
        int error = detail::until(time, [&](clockid_t clock, const timespec *deadline) RECIP_NOT_ANALYSED {
            return recip_cond_clockwait(&cond_, lock.mutex()->native_handle(), clock, deadline);
        });
        return error == ETIMEDOUT ? std::cv_status::timeout : std::cv_status::no_timeout;
    }
    template <class Mutex, class Clock, class Duration, class Predicate>
    bool wait_until(std::unique_lock<Mutex> &lock, const std::chrono::time_point<Clock, Duration> &time,
                    Predicate predicate)
    {
        while (!predicate())
            if (wait_until(lock, time) == std::cv_status::timeout)
                return predicate();
        return true;
    }
    template <class Mutex, class Rep, class Period>
    std::cv_status wait_for(std::unique_lock<Mutex> &lock, const std::chrono::duration<Rep, Period> &duration)
    {
        return wait_until(lock, std::chrono::steady_clock::now() +
                                    std::chrono::ceil<std::chrono::steady_clock::duration>(duration));
    }
    template <class Mutex, class Rep, class Period, class Predicate>
    bool wait_for(std::unique_lock<Mutex> &lock, const std::chrono::duration<Rep, Period> &duration,
                  Predicate predicate)
    {
        return wait_until(
            lock, std::chrono::steady_clock::now() + std::chrono::ceil<std::chrono::steady_clock::duration>(duration),
            std::move(predicate));
    }

    using native_handle_type = recip_cond_t *;
    native_handle_type native_handle() noexcept
    {
        return &cond_;
    }

  private:
    recip_cond_t cond_;
};

/* recip_sem_t. A template like the standard's; all of them hold up to max() permits. */
template <std::ptrdiff_t LeastMax = RECIP_SEM_VALUE_MAX> class counting_semaphore
{
    static_assert(LeastMax >= 0 && LeastMax <= RECIP_SEM_VALUE_MAX, "a semaphore holds up to RECIP_SEM_VALUE_MAX");

  public:
    static constexpr std::ptrdiff_t max() noexcept
    {
        return RECIP_SEM_VALUE_MAX;
    }
    explicit constexpr counting_semaphore(std::ptrdiff_t permits) : sem_ RECIP_SEM_INIT(permits)
    {
        if (permits < 0 || permits > max())
            detail::fail(EINVAL, "recip::counting_semaphore: permits outside 0 to RECIP_SEM_VALUE_MAX");
    }
    counting_semaphore(const counting_semaphore &) = delete;
    counting_semaphore &operator=(const counting_semaphore &) = delete;

    void acquire() noexcept
    {
        recip_sem_wait(&sem_);
    }
    bool try_acquire() noexcept
    {
        return recip_sem_trywait(&sem_) == 0;
    }
    template <class Clock, class Duration> bool try_acquire_until(const std::chrono::time_point<Clock, Duration> &time)
    {
        return detail::until(time, [&](clockid_t clock, const timespec *deadline) {
                   return recip_sem_clockwait(&sem_, clock, deadline);
               }) == 0;
    }
    template <class Rep, class Period> bool try_acquire_for(const std::chrono::duration<Rep, Period> &duration)
    {
        return try_acquire_until(std::chrono::steady_clock::now() +
                                 std::chrono::ceil<std::chrono::steady_clock::duration>(duration));
    }
    /* An error at the first permit that would be too many. */
    void release(std::ptrdiff_t permits = 1)
    {
        for (; permits > 0; permits--)
            if (int error = recip_sem_post(&sem_))
                detail::fail(error, "recip::counting_semaphore: more than RECIP_SEM_VALUE_MAX permits");
    }

  private:
    recip_sem_t sem_;
};

using binary_semaphore = counting_semaphore<1>;

/* recip_lock_t. Acquired and released by the same thread, through a guard. */
class RECIP_CAPABILITY_ reciprocating_lock
{
  public:
    constexpr reciprocating_lock() noexcept : lock_ RECIP_LOCK_INIT
    {
    }
    reciprocating_lock(const reciprocating_lock &) = delete;
    reciprocating_lock &operator=(const reciprocating_lock &) = delete;

    class RECIP_SAFETY_(scoped_lockable) guard
    {
      public:
        explicit guard(reciprocating_lock &lock) noexcept RECIP_ACQUIRES_(lock) : lock_(&lock.lock_)
        {
            recip_lock_acquire(lock_, &context_);
        }
        /* owns_lock() says whether it was acquired; for -Wthread-safety it always was. */
        guard(reciprocating_lock &lock, std::try_to_lock_t) noexcept RECIP_ACQUIRES_(lock) : lock_(&lock.lock_)
        {
            if (recip_lock_try_acquire(lock_, &context_) != 0)
                lock_ = nullptr;
        }
        guard(const guard &) = delete;
        guard &operator=(const guard &) = delete;
        ~guard() RECIP_RELEASES_()
        {
            if (lock_)
                recip_lock_release(lock_, &context_);
        }
        bool owns_lock() const noexcept
        {
            return lock_ != nullptr;
        }

      private:
        recip_lock_t *lock_;
        recip_lock_context_t context_;
    };

    template <class Function> decltype(auto) operator+(Function &&critical_section) RECIP_NOT_ANALYSED
    {
        guard held(*this);
        return std::forward<Function>(critical_section)();
    }

  private:
    recip_lock_t lock_;
};

} // namespace recip

#endif
#endif
