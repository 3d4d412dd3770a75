// SPDX-License-Identifier: MIT
//! librecip in Rust: a mutex that guards what it holds, and a condition variable.
//!
//!     rustc -O --edition 2021 examples/mutex.rs -L build -l recip -o build/mutex-rs
//!     LD_LIBRARY_PATH=build build/mutex-rs
//!
//! docs/abi.md has the sizes.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::os::raw::c_char;
use std::thread;

/// recip_mutex_t: 16 bytes; all zeroes is unlocked.
#[repr(C, align(8))]
struct RawMutex(UnsafeCell<[u64; 2]>);

/// recip_cond_t: 40 bytes.
#[repr(C, align(8))]
struct RawCondition(UnsafeCell<[u64; 5]>);

extern "C" {
    fn recip_version() -> *const c_char;
    fn recip_mutex_lock(mutex: *const RawMutex);
    fn recip_mutex_trylock(mutex: *const RawMutex) -> i32;
    fn recip_mutex_unlock(mutex: *const RawMutex);
    fn recip_cond_wait(condition: *const RawCondition, mutex: *const RawMutex);
    fn recip_cond_broadcast(condition: *const RawCondition);
}

struct Mutex<T> {
    raw: RawMutex,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for Mutex<T> {}

/// Stays in the thread that locked, which has to unlock: a raw pointer is not Send.
struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
    thread: PhantomData<*const ()>,
}

impl<T> Mutex<T> {
    const fn new(value: T) -> Self {
        Mutex { raw: RawMutex(UnsafeCell::new([0; 2])), value: UnsafeCell::new(value) }
    }

    fn lock(&self) -> Guard<'_, T> {
        unsafe { recip_mutex_lock(&self.raw) };
        Guard { mutex: self, thread: PhantomData }
    }

    fn try_lock(&self) -> Option<Guard<'_, T>> {
        let error = unsafe { recip_mutex_trylock(&self.raw) };
        (error == 0).then(|| Guard { mutex: self, thread: PhantomData })
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        unsafe { recip_mutex_unlock(&self.mutex.raw) }
    }
}

struct Condition(RawCondition);

unsafe impl Sync for Condition {}

impl Condition {
    const fn new() -> Self {
        Condition(RawCondition(UnsafeCell::new([0; 5])))
    }

    fn wait<T>(&self, guard: &mut Guard<T>) {
        unsafe { recip_cond_wait(&self.0, &guard.mutex.raw) }
    }

    fn notify_all(&self) {
        unsafe { recip_cond_broadcast(&self.0) }
    }
}

const THREADS: u32 = 4;
const TIMES: u32 = 100_000;

struct Progress {
    count: u32,
    done: u32,
}

static PROGRESS: Mutex<Progress> = Mutex::new(Progress { count: 0, done: 0 });
static EVERYBODY_DONE: Condition = Condition::new();

fn work() {
    for _ in 0..TIMES {
        PROGRESS.lock().count += 1;
    }
    PROGRESS.lock().done += 1;
    EVERYBODY_DONE.notify_all();
}

fn main() {
    let threads: Vec<_> = (0..THREADS).map(|_| thread::spawn(work)).collect();
    let mut progress = PROGRESS.lock();
    while progress.done < THREADS {
        EVERYBODY_DONE.wait(&mut progress);
    }
    let version = unsafe { CStr::from_ptr(recip_version()) }.to_str().unwrap();
    println!("librecip {}: {} threads counted to {}", version, THREADS, progress.count);
    assert!(PROGRESS.try_lock().is_none(), "a mutex was locked twice");
    assert_eq!(progress.count, THREADS * TIMES);
    drop(progress);
    threads.into_iter().for_each(|each| each.join().unwrap());
}
