/* SPDX-License-Identifier: MIT */
/* The commands as a user meets them: what they print, what they refuse and how. command-test RECIP SOURCE-TREE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *recip, *tree;

/* What the command prints, errors included; freed by the caller. */
static char *output_of(const char *arguments, int *status)
{
    char command[1024], *text = NULL;
    size_t room = 0;
    snprintf(command, sizeof command, "'%s' %s 2>&1", recip, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    if (getdelim(&text, &room, '\0', pipe) < 0)
        text[0] = '\0';
    int ended = pclose(pipe);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return text;
}

static json_t *json_of(const char *arguments)
{
    int status;
    char *text = output_of(arguments, &status);
    assert_int_equal(status, 0);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

/* One line that has both words, and exit 2. */
static void expect_refused(const char *arguments, const char *word, const char *allowed)
{
    int status;
    char *text = output_of(arguments, &status);
    assert_int_equal(status, 2);
    assert_non_null(strstr(text, word));
    assert_non_null(strstr(text, allowed));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    expect_refused("sim --lock nosuch", "'nosuch'", "recip list");
    expect_refused("sim --lock pthread", "'pthread'", "cannot be simulated");
    expect_refused("sim --threads 0", "'0'", "1 to 1024");
    expect_refused("sim --threads 2,x", "'x'", "1 to 1024");
    expect_refused("sim --lock anderson --threads 300", "300", "256");
    expect_refused("sim --workload heavy", "'heavy'", "max, moderate, degenerate");
    expect_refused("sim --context heap", "'heap'", "local, body");
    expect_refused("sim --machine nosuch", "'nosuch'",
                   "altra-max, cloud-8, epyc, graviton4, sapphire-rapids, two-core, x5-2");
    expect_refused("sim --machine /nowhere/x.machine", "/nowhere/x.machine", "No such file");
    expect_refused("sim --set hop=fast", "'fast'", "0 to 10000");
    expect_refused("sim --set hope=3", "'hope'", "allowed are sockets");
    expect_refused("sim --set hop", "'hop'", "NAME=VALUE");
    expect_refused("sim --set hop=0x20", "'0x20'", "0 to 10000");
    expect_refused("sim --set line=48", "'48'", "a power of two from 16 to 1024");
    expect_refused("sim --set cores=100", "is 400", "at most 256");
    expect_refused("sim --machine /dev/zero", "/dev/zero:1", "longer than 1000 characters");
    expect_refused("sim --machine /", "/: ", "Is a directory");
    expect_refused("sim --store-buffer 65", "'65'", "0 to 64");
    expect_refused("sim --episodes 1", "'1'", "100 to");
    expect_refused("sim --residency 0", "'0'", "admissions from 0.001");
    expect_refused("sim --csv --events", "--events", "--json");
    expect_refused("sim --residency 0x8", "'0x8'", "admissions from 0.001");
    expect_refused("sim --json --trace -", "--trace: '-'", "where --json goes");
    expect_refused("sim --csv --plot -", "--plot: '-'", "where --csv goes");
    expect_refused("sim --trace - --plot -", "--plot: '-'", "where --trace goes");
    expect_refused("sim --trace a --plot a", "'a'", "give another file");
    expect_refused("sim --trace /nowhere/file", "'/nowhere/file'", "No such file");
    expect_refused("sim --measure --json", "--measure", "no other option");
    expect_refused("sim --colour", "'--colour'", "--machine");
    expect_refused("sim word", "'word'", "options only");
    expect_refused("table --lock nosuch", "'nosuch'", "recip list");
    expect_refused("table --threads 3", "--threads", "--json");
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const json_t *lock_of(const json_t *table, const char *id)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(table, "locks"), i,
                       row) if (strcmp(json_string_value(json_object_get(row, "id")), id) == 0) return row;
    fail_msg("%s is not in the table", id);
    return NULL;
}

static void the_table_is_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        double paper;
    } invalidations[] = {{"reciprocating", 4}, {"clh", 5}, {"hemlock", 5}, {"mcs", 6}, {"ticket", 10}};
    json_t *table = json_of("table --json");
    for (size_t i = 0; i < sizeof invalidations / sizeof *invalidations; i++) {
        const json_t *row = lock_of(table, invalidations[i].id), *paper = json_object_get(row, "paper");
        assert_float_equal(number(paper, "invalidations_per_episode"), invalidations[i].paper, 1e-9);
        double measured = number(row, "invalidations_per_episode");
        assert_true(fabs(measured - invalidations[i].paper) <= invalidations[i].paper / 10);
        assert_int_equal(json_is_true(json_object_get(row, "fifo")), json_is_true(json_object_get(paper, "fifo")));
        assert_int_equal(json_is_true(json_object_get(row, "constant_time_release")),
                         json_is_true(json_object_get(paper, "constant_time_release")));
        assert_string_equal(json_string_value(json_object_get(row, "spinning")),
                            json_string_value(json_object_get(paper, "spinning")));
        assert_string_equal(json_string_value(json_object_get(row, "space")),
                            json_string_value(json_object_get(paper, "space")));
    }
    double twa = number(lock_of(table, "twa"), "invalidations_per_episode");
    assert_true(twa >= 7 && twa <= 9);
    assert_float_equal(number(lock_of(table, "reciprocating"), "most_remote_misses"), 2, 1e-9);
    json_decref(table);
}

/* What the paper's table has not: two sockets, and how often a waiter is passed by. */
static void the_table_knows_sockets(void **state)
{
    (void)state;
    static const struct {
        const char *id, *bypass;
        bool aware, fifo;
    } rows[] = {{"mcs", "0", false, true},
                {"reciprocating", "1", false, false},
                {"cna", "counted", true, false},
                {"cohort-bo-mcs", "none", true, false}};
    json_t *table = json_of("table --json --lock mcs,reciprocating,cna,cohort-bo-mcs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *row = lock_of(table, rows[i].id);
        assert_string_equal(json_string_value(json_object_get(row, "bound_on_bypass")), rows[i].bypass);
        assert_int_equal(json_is_true(json_object_get(row, "numa_aware")), rows[i].aware);
        assert_int_equal(json_is_true(json_object_get(row, "fifo")), rows[i].fifo);
        double moves = number(row, "moves_per_episode"), remote = number(row, "remote_misses_per_episode");
        assert_true(rows[i].aware ? moves < 0.01 : moves > 0.3 && remote > 0.9);
        assert_true(number(row, "misses_per_episode") <= number(row, "invalidations_per_episode"));
    }
    json_decref(table);
}

static void runs_are_objects(void **state)
{
    (void)state;
    json_t *report = json_of("sim --lock mcs,ticket --threads 2,3 --episodes 1000 --events --residency 4 --json");
    const json_t *runs = json_object_get(report, "runs");
    assert_int_equal(json_array_size(runs), 4);
    const json_t *run = json_array_get(runs, 1);
    assert_string_equal(json_string_value(json_object_get(run, "lock")), "mcs");
    assert_float_equal(number(run, "threads"), 3, 0);
    assert_int_equal(json_array_size(json_object_get(run, "admissions")), 3);
    assert_int_equal(json_array_size(json_object_get(run, "remote_by_home")), 2);
    assert_true(json_array_size(json_object_get(run, "event_list")) > 3);
    assert_true(number(run, "throughput") > 1e5);
    assert_float_equal(number(run, "events"), number(run, "misses") + number(run, "upgrades"), 1e-9);
    json_decref(report);
}

/* Two sockets: what is remote is so by one home or the other, and all admissions are someone's. */
static void detail_adds_up(void **state)
{
    (void)state;
    json_t *report = json_of("sim --lock clh --threads 36 --episodes 3600 --json");
    const json_t *run = json_array_get(json_object_get(report, "runs"), 0);
    const json_t *homes = json_object_get(run, "remote_by_home"), *admissions = json_object_get(run, "admissions");
    double first = json_real_value(json_array_get(homes, 0)), second = json_real_value(json_array_get(homes, 1));
    assert_true(first > 0 && second > 0);
    assert_float_equal(first + second, number(run, "remote"), 1e-6);
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(admissions); i++)
        sum += json_integer_value(json_array_get(admissions, i));
    assert_true(sum >= 3600 && sum <= 3601);
    json_decref(report);
    int status;
    char *text = output_of("sim --lock clh --threads 2 --episodes 100 --detail", &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "admissions by thread: 5"));
    assert_non_null(strstr(text, "remote events by home node: 0.0000 0.0000"));
    free(text);
}

/* Whether that line of the source, or what a statement that begins there has on the next, has the word. */
static bool line_has(const char *source, const char *word)
{
    char path[512], *text = NULL;
    size_t room = 0;
    bool has = false;
    const char *colon = strrchr(source, ':');
    assert_non_null(colon);
    int wanted = atoi(colon + 1);
    snprintf(path, sizeof path, "%s/%.*s", tree, (int)(colon - source), source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int number = 1; getline(&text, &room, file) >= 0; number++)
        has |= number >= wanted && number <= wanted + 1 && strstr(text, word);
    free(text);
    fclose(file);
    return has;
}

static void expect_in_source(const char *lock, const json_t *event)
{
    char word[64];
    const char *operation = json_string_value(json_object_get(event, "operation"));
    const char *source = json_string_value(json_array_get(json_object_get(event, "source"), 0));
    if (!source) {
        fail_msg("%s: %s has no source line", lock, operation);
        return; /* for those who do not know that fail_msg does not */
    }
    snprintf(word, sizeof word, "atomic_%s", operation);
    bool plain = strcmp(operation, "read") == 0 || strcmp(operation, "write") == 0;
    if (!plain && !line_has(source, word))
        fail_msg("%s: %s is not %s", lock, source, word);
}

/* Each event names the line that made it: that operation is there. */
static void events_name_their_source(void **state)
{
    (void)state;
    json_t *report =
        json_of("sim --lock reciprocating,reciprocating-simple,reciprocating-lanes,retrograde,mcs,clh,hemlock,"
                "hemlock-ctr,ticket,twa,k42,mcsh,chen,mutex --threads 6 --episodes 500 --workload degenerate "
                "--events --json");
    size_t i, j, count = 0;
    const json_t *run, *event;
    json_array_foreach(json_object_get(report, "runs"), i, run)
        json_array_foreach(json_object_get(run, "event_list"), j,
                           event) if (strcmp(json_string_value(json_object_get(event, "phase")), "critical") != 0)
    {
        expect_in_source(json_string_value(json_object_get(run, "lock")), event);
        count++;
    }
    assert_true(count > 50);
    json_decref(report);
}

/* The number in that column of the first row; -1 if it is empty or not there. */
static double csv_number(const char *text, const char *name)
{
    const char *head = text, *row = strchr(text, '\n') + 1;
    for (;;) {
        size_t heading = strcspn(head, ",\n"), field = strcspn(row, ",\n");
        if (heading == strlen(name) && memcmp(head, name, heading) == 0)
            return field ? strtod(row, NULL) : -1;
        if (head[heading] != ',' || row[field] != ',')
            return -1;
        head += heading + 1;
        row += field + 1;
    }
}

static void csv_has_what_json_has(void **state)
{
    (void)state;
    static const char arguments[] =
        "sim --machine two-core --lock mutex --threads 4 --times 1000/100 --duration 20ms --seldom 500us";
    char line[256];
    int status;
    snprintf(line, sizeof line, "%s --json", arguments);
    json_t *report = json_of(line);
    const json_t *run = json_array_get(json_object_get(report, "runs"), 0), *waits = json_object_get(run, "waits");
    snprintf(line, sizeof line, "%s --csv", arguments);
    char *text = output_of(line, &status);
    assert_int_equal(status, 0);
    assert_true(number(waits, "count") > 10);
    assert_float_equal(csv_number(text, "waits"), number(waits, "count"), 0);
    assert_float_equal(csv_number(text, "wait_p99"), number(waits, "p99"), 1e-9);
    assert_float_equal(csv_number(text, "from_due_p99"), number(json_object_get(run, "from_due"), "p99"), 1e-9);
    assert_float_equal(csv_number(text, "late_longest"), number(json_object_get(run, "late"), "longest"), 1e-9);
    assert_float_equal(csv_number(text, "cpus_busy"), number(run, "cpus_busy"), 1e-3);
    assert_true(number(run, "yields") > 0);
    assert_float_equal(csv_number(text, "yields"), number(run, "yields"), 1e-5 * number(run, "yields"));
    free(text);
    json_decref(report);
    text = output_of("sim --lock ticket --threads 2 --episodes 100 --csv", &status);
    assert_float_equal(csv_number(text, "wait_p99"), -1, 0);
    assert_float_equal(csv_number(text, "late_longest"), -1, 0);
    assert_float_equal(csv_number(text, "parks"), 0, 0);
    free(text);
}

/* In processes of their own too, whose addresses differ. */
static void the_same_seed_prints_the_same(void **state)
{
    (void)state;
    static const char arguments[] = "sim --lock reciprocating,twa,reciprocating-lanes --threads 5,40 --seed 9 --csv";
    int status;
    char *first = output_of(arguments, &status), *second = output_of(arguments, &status);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void expect_printed(const char *arguments, const char *const *words)
{
    int status;
    char *text = output_of(arguments, &status);
    assert_int_equal(status, 0);
    for (; *words; words++)
        assert_non_null(strstr(text, *words));
    free(text);
}

static void traces_and_plots_are_written(void **state)
{
    (void)state;
    expect_printed("sim --lock ticket --threads 2 --episodes 100 --trace -", (const char *[]){"\nticket 2: ", NULL});
    expect_printed("sim --lock ticket --threads 2 --episodes 100 --plot -",
                   (const char *[]){"<svg ", "x5-2, max: ", "</svg>", NULL});
}

/* A file's name is bytes, JSON is UTF-8. */
static void any_path_has_its_json(void **state)
{
    (void)state;
    char link[1024];
    snprintf(link, sizeof link, "ln -sf '%s/tools/sim/machines/two-core.machine' ./command-test-\377.machine", tree);
    assert_int_equal(system(link), 0);
    json_t *report =
        json_of("sim --lock ticket --threads 2 --episodes 100 --machine ./command-test-\377.machine --json");
    assert_string_equal(json_string_value(json_object_get(report, "machine")), "./command-test-?.machine");
    json_decref(report);
    assert_int_equal(unlink("./command-test-\377.machine"), 0);
}

/* What the times are is the machine's business; that the file is whole, and a machine may have them, is ours. */
static void this_machine_is_measured(void **state)
{
    (void)state;
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) < 2) {
        expect_refused("sim --measure", "--measure", "two are needed");
        return;
    }
    int status;
    assert_int_equal(system("rm -f ./command-test-here.machine"), 0);
    char *text = output_of("sim --measure", &status);
    assert_int_equal(status, 0);
    FILE *file = fopen("./command-test-here.machine", "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0 && fclose(file) == 0, 1);
    free(text);
    expect_printed("sim --machine ./command-test-here.machine --lock ticket,mutex --threads 1,2,4 --episodes 100",
                   (const char *[]){"machine ./command-test-here.machine, workload max", "ticket", NULL});
    assert_int_equal(unlink("./command-test-here.machine"), 0);
}

/* How near the model comes is no test's business; that both are there for each of the cells is. */
static void the_model_stands_beside_the_measurement(void **state)
{
    (void)state;
    expect_refused("sim --calibrate --threads 2", "--threads", "--lock, --seed and --json");
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) < 2)
        return;
    json_t *report = json_of("sim --calibrate --lock ticket,futex --json"), *cell;
    json_t *cells = json_object_get(report, "cells"), *columns = json_object_get(report, "columns");
    size_t index;
    assert_string_equal(json_string_value(json_object_get(report, "schema")), "recip-calibration");
    assert_int_equal(json_array_size(cells), 2 * 2 + 2 * 4);
    assert_int_equal(json_array_size(columns), 2 * 4);
    json_array_foreach(cells, index, cell)
    {
        assert_true(number(cell, "modelled_ns") > 0);
        if (json_integer_value(json_object_get(cell, "threads")) == 1)
            assert_true(number(cell, "measured_ns") > 0);
    }
    json_decref(report);
}

/* A stack larger than all memory that a process may have: its thread cannot be. The reason is the system's. */
static void a_thread_that_cannot_be_is_told(void **state)
{
    (void)state;
    const rlim_t gibibyte = (rlim_t)1 << 30;
    const struct {
        int resource;
        rlim_t soft;
    } limits[] = {{RLIMIT_STACK, 16 * gibibyte}, {RLIMIT_AS, 8 * gibibyte}};
    struct rlimit before[2], now;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(getrlimit(limits[i].resource, &before[i]), 0);
        now = (struct rlimit){limits[i].soft, before[i].rlim_max};
        if (setrlimit(limits[i].resource, &now) != 0)
            skip();
    }
    int status;
    char *text = output_of("sim --measure", &status);
    for (int i = 0; i < 2; i++)
        assert_int_equal(setrlimit(limits[i].resource, &before[i]), 0);
    if (strstr(text, "two are needed"))
        skip();
    assert_int_equal(status, 1);
    assert_string_equal(text,
                        "recip: --measure: a second thread cannot be started: Resource temporarily unavailable\n");
    free(text);
}

/* What --set changes is part of the machine's name wherever that stands; together they may change more than one after
 * the other. A slice may be shorter than the context switch before it. */
static void changed_machines_say_so(void **state)
{
    (void)state;
    expect_printed("sim --lock ticket --threads 2 --episodes 100 --set upgrade=40 --set hop=5",
                   (const char *[]){"machine x5-2 with upgrade=40, hop=5, workload", NULL});
    expect_printed(
        "sim --lock ticket --threads 2 --episodes 100 --set sockets=16 --set cores=16 --set threads=1 --json",
        (const char *[]){"\"x5-2 with sockets=16, cores=16, threads=1\"", NULL});
    expect_printed("sim --lock ticket --threads 2 --episodes 100 --plot - --set hop=5",
                   (const char *[]){">x5-2 with hop=5, max: ", NULL});
    expect_printed("sim --lock reciprocating --machine two-core --threads 4 --episodes 100 --set slice=1000",
                   (const char *[]){"reciprocating                           4", NULL});
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    recip = argv[1];
    tree = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(the_table_is_the_papers),
        cmocka_unit_test(the_table_knows_sockets),
        cmocka_unit_test(runs_are_objects),
        cmocka_unit_test(detail_adds_up),
        cmocka_unit_test(events_name_their_source),
        cmocka_unit_test(csv_has_what_json_has),
        cmocka_unit_test(the_same_seed_prints_the_same),
        cmocka_unit_test(traces_and_plots_are_written),
        cmocka_unit_test(changed_machines_say_so),
        cmocka_unit_test(any_path_has_its_json),
        cmocka_unit_test(this_machine_is_measured),
        cmocka_unit_test(the_model_stands_beside_the_measurement),
        cmocka_unit_test(a_thread_that_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
