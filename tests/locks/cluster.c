/* SPDX-License-Identifier: MIT */
/* Which cluster a thread is in: from the kernel's lists, and on each CPU of this machine. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "port/native-cpu.h"
#include "port/native.h"
#include "tests/support/test.h"

static void lists_are_clusters(void **state)
{
    static const struct {
        const char *list;
        int cluster;
    } lists[] = {
        {"0-7,128-135\n", 0},
        {"8-15,136-143\n", 1},
        {"120-127,248-255\n", 15},
        {"0-17,36-53\n", 0},
        {"18-35,54-71\n", 1},
        {"0,2,4,6\n", 0},
        {"1,3,5,7\n", 1},
        {"4-7\n", 1},
        {"0-2", 0},
        /* One core, or nothing. */
        {"5\n", -1},
        {"5-6\n", -1},
        {"5,69\n", -1},
        {"\n", -1},
        {"", -1},
        {"7-3\n", -1},
        {"none\n", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (recip_native_cluster_of(lists[i].list) != lists[i].cluster)
            fail_msg("%s is cluster %d", lists[i].list, recip_native_cluster_of(lists[i].list));
}

/* CPUs in the same list say the same, and those whose list is one core's say which socket they are in. */
static void each_cpu_says_its_own(void **state)
{
    cpu_set_t allowed, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[80], list[256] = "";
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index3/shared_cpu_list", cpu);
        FILE *file = fopen(path, "r");
        if (!file || !fgets(list, sizeof list, file))
            list[0] = '\0';
        if (file)
            fclose(file);
        /* Without rseq the kernel is asked now and then. */
        unsigned said = 0;
        for (int call = 0; call < 1000; call++)
            said = port_cluster();
        int listed = recip_native_cluster_of(list);
        if (listed >= 0)
            assert_int_equal(said, listed);
        else if (list[0])
            assert_int_equal(said, port_socket());
    }
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_clusters),
        cmocka_unit_test(each_cpu_says_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
