#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""librecip in Python, by ctypes: a mutex and a condition variable.

    LD_LIBRARY_PATH=build python3 examples/mutex.py

ctypes lets other threads of Python run while a call waits. docs/abi.md has the sizes.
"""
import ctypes
import errno
import os
import sys
import threading
import time

recip = ctypes.CDLL("librecip.so.0.1")


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_int64)]


class Mutex(ctypes.Structure):
    """recip_mutex_t. All zeroes, which is what ctypes makes, is unlocked."""

    _fields_ = [("words", ctypes.c_uint64 * 2)]

    def __enter__(self):
        recip.recip_mutex_lock(self)
        return self

    def __exit__(self, *exception):
        recip.recip_mutex_unlock(self)

    def lock_within(self, seconds):
        """Whether it was locked before the time was over."""
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + int(seconds * 1e9)
        deadline = Timespec(end // 10**9, end % 10**9)
        error = recip.recip_mutex_clocklock(self, time.CLOCK_MONOTONIC, deadline)
        if error not in (0, errno.ETIMEDOUT):
            raise OSError(error, os.strerror(error))
        return error == 0


class Condition(ctypes.Structure):
    """recip_cond_t."""

    _fields_ = [("words", ctypes.c_uint64 * 5)]

    def wait(self, mutex):
        recip.recip_cond_wait(self, mutex)

    def notify_all(self):
        recip.recip_cond_broadcast(self)


def declare(name, result, *arguments):
    call = getattr(recip, name)
    call.restype = result
    call.argtypes = arguments


mutex_pointer, cond_pointer = ctypes.POINTER(Mutex), ctypes.POINTER(Condition)
declare("recip_version", ctypes.c_char_p)
declare("recip_mutex_lock", None, mutex_pointer)
declare("recip_mutex_unlock", None, mutex_pointer)
declare("recip_mutex_clocklock", ctypes.c_int, mutex_pointer, ctypes.c_int, ctypes.POINTER(Timespec))
declare("recip_cond_wait", None, cond_pointer, mutex_pointer)
declare("recip_cond_broadcast", None, cond_pointer)

THREADS, TIMES = 4, 1000


def main():
    mutex, everybody_done = Mutex(), Condition()
    count = done = 0

    def work():
        nonlocal count, done
        for _ in range(TIMES):
            with mutex:
                before = count
                time.sleep(0)  # another thread runs; without the mutex it would take the same number
                count = before + 1
        with mutex:
            done += 1
            everybody_done.notify_all()

    for _ in range(THREADS):
        threading.Thread(target=work).start()
    with mutex:
        while done < THREADS:
            everybody_done.wait(mutex)
        print(f"librecip {recip.recip_version().decode()}: {THREADS} threads counted to {count}")
        if mutex.lock_within(0.001):
            sys.exit("a mutex was locked twice")
    return count != THREADS * TIMES


sys.exit(main())
