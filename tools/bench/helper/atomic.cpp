/* SPDX-License-Identifier: MIT */
/* recip-bench-atomic: what the paper does with std::atomic of a struct of five integers, which libatomic keeps under a
 * mutex of its own that it finds by the address. On which lock that mutex is, the preload library decides. */
#include <jansson.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>

extern "C" {
#include "bench/helper/helper.h"
}

namespace
{

struct Five {
    uint32_t values[5];
};

std::atomic<Five> shared{};
std::atomic<uint64_t> made{0}, successes{0};
std::atomic<bool> torn{false};

/* Of the values that are about, each thread's and the shared one: they change hands, but none is lost or made up. */
std::atomic<uint64_t> sum{0}, squares{0};

Five five_of(uint32_t number)
{
    return {{number, number + 1, number ^ 5, number * 7, ~number}};
}

void give_back(const Five &five)
{
    sum -= five.values[0];
    squares -= uint64_t(five.values[0]) * five.values[0];
}

/* A thread's own value, and its successes. */
struct Own {
    Five five;
    uint64_t successes = 0;
    Own() : five(five_of(uint32_t(++made)))
    {
        sum += five.values[0];
        squares += uint64_t(five.values[0]) * five.values[0];
    }
    ~Own()
    {
        give_back(five);
        ::successes += successes;
    }
};

thread_local Own own;

void exchange(void *)
{
    own.five = shared.exchange(own.five);
    Five whole = five_of(own.five.values[0]);
    if (std::memcmp(&own.five, &whole, sizeof whole) != 0)
        torn = true;
}

void compare_exchange(void *)
{
    Five before = shared.load(), after;
    do {
        after = before;
        after.values[0]++;
    } while (!shared.compare_exchange_strong(before, after));
    own.successes++;
}

void nothing(void *)
{
}

bool done(void *)
{
    return true;
}

recip_algorithm operation(const char *id, void (*body)(void *))
{
    recip_algorithm algorithm{};
    algorithm.id = id;
    algorithm.init = algorithm.destroy = algorithm.mutex_unlock = nothing;
    algorithm.mutex_lock = body;
    algorithm.mutex_trylock = done;
    return algorithm;
}

const recip_algorithm exchanging = operation("exchange", exchange);
const recip_algorithm comparing = operation("compare-exchange", compare_exchange);
const recip_algorithm *chosen;

const recip_algorithm *find(const char *subject)
{
    for (const recip_algorithm *algorithm : {&exchanging, &comparing})
        if (std::strcmp(algorithm->id, subject) == 0)
            chosen = algorithm;
    if (chosen == &exchanging)
        shared.store(five_of(0));
    return chosen;
}

const char *wrong()
{
    Five last = shared.load();
    if (chosen == &comparing)
        return last.values[0] == uint32_t(successes) ? nullptr : "an increment was lost or made twice";
    give_back(last);
    return torn ? "half a value was seen" : sum == 0 && squares == 0 ? nullptr : "a value was lost or made twice";
}

json_t *list()
{
    return json_pack("[s, s]", exchanging.id, comparing.id);
}

} // namespace

int main(int argc, char **argv)
{
    const helper atomic{find, true, wrong, list, nullptr, nullptr};
    return helper_main(&atomic, argc, argv);
}
