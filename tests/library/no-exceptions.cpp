/* SPDX-License-Identifier: MIT */
/* Compiled with -fno-exceptions: what would be thrown ends the program. The argument says what. */
#include <recip.hpp>

#ifdef __cpp_exceptions
#error "this is about programs without exceptions"
#endif

int main(int argc, char **argv)
{
    recip::counting_semaphore<> full(recip::counting_semaphore<>::max());
    if (argc == 2 && !std::strcmp(argv[1], "bound"))
        recip::mutex wrong(RECIP_BOUND_MAX + 1);
    if (argc == 2 && !std::strcmp(argv[1], "permits"))
        recip::binary_semaphore wrong(-1);
    if (argc == 2 && !std::strcmp(argv[1], "release"))
        full.release();
    recip::timed_mutex mutex(RECIP_BOUND_MAX);
    return std::unique_lock(mutex, std::chrono::seconds(1)).owns_lock() ? 0 : 1;
}
