/* SPDX-License-Identifier: MIT */
/* Other users of rseq in the program: the mutex excludes, and unlocks by an atomic operation where it has to. The
 * argument says who they are:
 *
 *     shared     a library runs sequences of its own in glibc's area, as new allocators do
 *     taken      in some threads a library has put an area of its own in the place of glibc's, as old allocators do
 *     at-start   it has done so before the mutex's library was initialised
 *     none       glibc has no area, because of GLIBC_TUNABLES=glibc.pthread.rseq=0
 */
#include "rseq.h"

enum { THREADS = 4, ROUNDS = 20000 };

static const char *company;

static bool is_company(const char *name)
{
    return strcmp(company, name) == 0;
}

static _Thread_local struct own_area own;

/* Before the library's own, which has no priority. */
__attribute__((constructor(101))) static void begin(int argc, char **argv)
{
    company = argc == 2 ? argv[1] : "";
    if (is_company("at-start") && __rseq_size > 0)
        MUST(register_instead(area_at(__rseq_offset), &own, sizeof(struct rseq)));
}

/* A sequence of that library's: adds 1 to the counter of this CPU, unless it is interrupted. The counters are right
 * only if the kernel finds this descriptor when it should, whatever descriptors of the mutex were there. */
static bool add_on_this_cpu(struct rseq *area, uint64_t *counters)
{
    uint32_t cpu = *(volatile uint32_t *)&area->cpu_id_start;
#if defined(__aarch64__)
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
                 ".balign 32\n"
                 "2: .long 0, 0\n"
                 ".quad 0f, 1f - 0f, 3f\n"
                 ".popsection\n"
                 "adrp x16, 2b\n"
                 "add x16, x16, :lo12:2b\n"
                 "str x16, [%[area], #8]\n"
                 "0: ldr w16, [%[area], #4]\n"
                 "cmp w16, %w[cpu]\n"
                 "b.ne %l[interrupted]\n"
                 "ldr x16, [%[counter]]\n"
                 "add x16, x16, #1\n"
                 "str x16, [%[counter]]\n"
                 "1: .subsection 1\n"
                 ".inst 0xd428bc00\n"
                 "3: b %l[interrupted]\n"
                 ".previous\n"
                 :
                 : [area] "r"(area), [cpu] "r"(cpu), [counter] "r"(&counters[cpu])
                 : "memory", "cc", "x16"
                 : interrupted);
#else
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
                 ".balign 32\n"
                 "2: .long 0, 0\n"
                 ".quad 0f, 1f - 0f, 3f\n"
                 ".popsection\n"
                 "0: leaq 2b(%%rip), %%rdx\n"
                 "movq %%rdx, 8(%[area])\n"
                 "cmpl %[cpu], 4(%[area])\n"
                 "jne %l[interrupted]\n"
                 "movq %[counter], %%rdx\n"
                 "addq $1, %%rdx\n"
                 "movq %%rdx, %[counter]\n"
                 "1: .subsection 1\n"
                 ".byte 0x0f, 0xb9, 0x3d\n"
                 ".long 0x53053053\n"
                 "3: jmp %l[interrupted]\n"
                 ".previous\n"
                 :
                 : [area] "r"(area), [cpu] "r"(cpu), [counter] "m"(counters[cpu])
                 : "memory", "cc", "rdx"
                 : interrupted);
#endif
    return true;
interrupted:
    return false;
}

static recip_mutex_t mutex = RECIP_MUTEX_INIT, one_user[THREADS];
static long count;
static uint64_t counters[1024]; /* by CPU */

static void *work(void *argument)
{
    uintptr_t index = (uintptr_t)argument;
    struct rseq *glibc = area_at(__rseq_offset);
    bool taken = is_company("taken") && index % 2;
    if (taken)
        MUST((index > 1 && register_instead(glibc, &own, ROOM)) || /* which old kernels do not take */
             register_instead(glibc, &own, sizeof(struct rseq)));
    for (int i = 0; i < ROUNDS; i++) {
        recip_mutex_lock(&mutex);
        count++;
        recip_mutex_unlock(&mutex);
        while (is_company("shared") && !add_on_this_cpu(glibc, counters))
            continue;
    }
    MUST(unlocks_by_sequence(glibc, &one_user[index]) == (is_company("shared") || (is_company("taken") && !taken)));
    MUST(!unlocks_by_sequence(&own.area, &one_user[index]));
    return NULL;
}

int main(void)
{
    bool available = __rseq_size > 0, atomic = is_company("none") || is_company("at-start");
    if (available == is_company("none") || (!atomic && !recip_rseq_offset_)) {
        printf("skipped: there is %s rseq area here\n", available ? "a usable" : "no usable");
        return SKIPPED;
    }
    MUST(sysconf(_SC_NPROCESSORS_CONF) <= (long)(sizeof counters / sizeof *counters));
    MUST(!recip_rseq_offset_ == atomic);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        MUST(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        sum += counters[i];
    MUST(count == (long)THREADS * ROUNDS);
    MUST(sum == (is_company("shared") ? (uint64_t)count : 0));
    return 0;
}
