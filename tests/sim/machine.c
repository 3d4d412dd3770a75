/* SPDX-License-Identifier: MIT */
/* A machine file that is not as it should be is refused with file, line and what is allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/machine.h"

static char *x5_2;

static int read_x5_2(void **state)
{
    (void)state;
    FILE *file = fopen(MACHINES "/x5-2.machine", "r");
    size_t room = 0;
    x5_2 = NULL;
    assert_non_null(file);
    assert_true(getdelim(&x5_2, &room, '\0', file) > 0);
    fclose(file);
    return 0;
}

static int forget_x5_2(void **state)
{
    (void)state;
    free(x5_2);
    return 0;
}

/* The complaint about x5-2 with `line` for the line that starts with `start` (null: at the end). */
static char *complaint_with(const char *start, const char *line)
{
    char path[] = "machine-test-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    bool replaced = false;
    char *copy = strdup(x5_2), *rest = copy, *text;
    while ((text = strsep(&rest, "\n"))) {
        if (start && strncmp(text, start, strlen(start)) == 0) {
            fprintf(file, "%s\n", line);
            replaced = true;
        } else {
            fprintf(file, "%s\n", text);
        }
    }
    if (!start)
        fprintf(file, "%s\n", line);
    assert_true(replaced || !start);
    free(copy);
    fclose(file);
    struct machine machine;
    char *complaint = machine_read(&machine, path);
    unlink(path);
    if (complaint)
        assert_memory_equal(complaint, path, strlen(path));
    return complaint;
}

static void expect(const char *start, const char *line, const char *says)
{
    char *complaint = complaint_with(start, line);
    assert_non_null(complaint);
    assert_non_null(strstr(complaint, says));
    free(complaint);
}

static void the_shipped_ones_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned cpus;
    } shipped[] = {
        {MACHINES "/x5-2.machine", 72},       {MACHINES "/altra-max.machine", 128},
        {MACHINES "/two-core.machine", 2},    {MACHINES "/epyc.machine", 256},
        {MACHINES "/cloud-8.machine", 8},     {MACHINES "/sapphire-rapids.machine", 224},
        {MACHINES "/graviton4.machine", 192},
    };
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        struct machine machine;
        assert_null(machine_read(&machine, shipped[i].path));
        assert_int_equal(machine_cpus(&machine), shipped[i].cpus);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    expect("hop =", "", "'hop' is missing; give a number from 0 to 10000");
    expect("protocol", "", "'protocol' is missing; give mesi, moesi or migratory");
    expect(NULL, "colour = 3", "unknown parameter 'colour'; allowed are sockets, clusters, cores");
    expect("cores", "cores = 0", ":10: cores: '0' is not a whole number from 1 to 256");
    expect("cores", "cores = 1.5", "cores: '1.5' is not a whole number");
    expect("cores", "cores = 200", "sockets x cores x threads is 800; at most 256 are allowed");
    expect("clusters", "clusters = 4", "18 cores cannot be divided into 4 clusters");
    expect("hop =", "hop = -1", "hop: '-1' is not a number of nanoseconds from 0 to 10000");
    expect("hop =", "hop = nan", "hop: 'nan' is not");
    expect("hop =", "hop = 45ns", "hop: '45ns' is not");
    expect("hop =", "hop = 0x2d", "hop: '0x2d' is not");
    expect("line", "line = 48", "line: '48' is not a power of two from 16 to 1024");
    expect("hop =", "hop = ", "hop: '' is not");
    expect("hop =", "hop 45", "'hop 45' is not of the form NAME = VALUE");
    expect("protocol", "protocol = mosi", "protocol: 'mosi' is not mesi, moesi or migratory");
    expect(NULL, "hop = 45", "'hop' is given a second time");
}

/* upgrade may be left out: it is then what transfer is, whatever that becomes. Given, it stands on its own. */
static void upgrade_is_as_transfer_unless_given(void **state)
{
    (void)state;
    struct machine machine;
    assert_null(machine_read(&machine, MACHINES "/x5-2.machine"));
    assert_int_equal(machine_upgrade(&machine), machine.transfer);
    assert_null(machine_set(&machine, "transfer", "80"));
    assert_int_equal(machine_upgrade(&machine), 80 * SIM_NANOSECOND);
    assert_null(machine_set(&machine, "upgrade", "40"));
    assert_null(machine_set(&machine, "transfer", "90"));
    assert_int_equal(machine_upgrade(&machine), 40 * SIM_NANOSECOND);
    assert_null(complaint_with(NULL, "upgrade = 40"));
    expect(NULL, "upgrade = 0", "upgrade: '0' is not a number of nanoseconds from 1 to 10000");
    expect("hop =", "upgrade = 10001", "upgrade: '10001' is not a number of nanoseconds from 1 to 10000");
    expect(NULL, "upgrade = 40\nupgrade = 40", "'upgrade' is given a second time");
}

static void a_file_that_is_not_there(void **state)
{
    (void)state;
    struct machine machine;
    char *complaint = machine_read(&machine, "/nowhere/x.machine");
    assert_non_null(strstr(complaint, "/nowhere/x.machine: No such file"));
    free(complaint);
}

static void threads_fill_sockets_then_siblings(void **state)
{
    (void)state;
    struct machine machine;
    assert_null(machine_read(&machine, MACHINES "/x5-2.machine"));
    assert_int_equal(machine_place(&machine, 17).socket, 0);
    assert_int_equal(machine_place(&machine, 18).socket, 1);
    assert_int_equal(machine_place(&machine, 36).core, 0);
    assert_int_equal(machine_place(&machine, 36).cpu, 36);
    assert_int_equal(machine_place(&machine, 71).core, 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_ones_are_read),           cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(upgrade_is_as_transfer_unless_given), cmocka_unit_test(a_file_that_is_not_there),
        cmocka_unit_test(threads_fill_sockets_then_siblings),
    };
    return cmocka_run_group_tests(tests, read_x5_2, forget_x5_2);
}
