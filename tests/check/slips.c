/* SPDX-License-Identifier: MIT */
/* What is proposed for a source: each edit, at the line that it is in. And the list of those that make no difference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/slips/equivalent.h"
#include "check/slips/slips.h"

static const char *const files[] = {"sample.h"};

/* The slips of the sample; in no order. */
static const struct {
    unsigned line;
    const char *text;
} expected[] = {
    {3, "value: `0` -> `1` in `#define NOBODY ((struct seat *)0)`"},
    {7, "name##_both: `+` -> `-` in `return left + right;`"},
    {7, "name##_both: `left` -> `right` in `return left + right;`"},
    {7, "name##_both: `right` -> `left` in `return left + right;`"},
    {10, "value: `4` -> `5` in `enum { FREE, TAKEN = 4 };`"},
    {10, "value: `4` -> `3` in `enum { FREE, TAKEN = 4 };`"},
    {10, "value: `4` -> `0` in `enum { FREE, TAKEN = 4 };`"},
    {21, "sit: not `seat->next != other`"},
    {21, "sit: never `seat->next != other`"},
    {21, "sit: once `seat->next != other`"},
    {21, "sit: `seat` -> `other` in `while (seat->next != other)`"},
    {21, "sit: `next` -> `previous` in `while (seat->next != other)`"},
    {21, "sit: `!=` -> `==` in `while (seat->next != other)`"},
    {21, "sit: `other` -> `seat` in `while (seat->next != other)`"},
    {22, "sit: without `relax();`"},
    {21, "sit: `while (seat->next != other) relax();` after `if (!other && turns < 3) return false;`"},
    {23, "sit: not `!other && turns < 3`"},
    {23, "sit: never `!other && turns < 3`"},
    {23, "sit: always `!other && turns < 3`"},
    {23, "sit: `!` -> ` ` in `if (!other && turns < 3)`"},
    {23, "sit: `other` -> `seat` in `if (!other && turns < 3)`"},
    {23, "sit: `&&` -> `||` in `if (!other && turns < 3)`"},
    {23, "sit: without `!other &&`"},
    {23, "sit: without `&& turns < 3`"},
    {23, "sit: `<` -> `<=` in `if (!other && turns < 3)`"},
    {23, "sit: `3` -> `4` in `if (!other && turns < 3)`"},
    {23, "sit: `3` -> `2` in `if (!other && turns < 3)`"},
    {23, "sit: `3` -> `0` in `if (!other && turns < 3)`"},
    {24, "sit: without `return false;`"},
    {24, "sit: `false` -> `true` in `return false;`"},
    {23, "sit: `if (!other && turns < 3) return false;` after `seat->state = TAKEN;`"},
    {25, "sit: without `seat->state = TAKEN;`"},
    {25, "sit: `seat` -> `other` in `seat->state = TAKEN;`"},
    {25, "sit: `TAKEN` -> `FREE` in `seat->state = TAKEN;`"},
    {25, "sit: `seat->state = TAKEN;` after `stand(seat, other);`"},
    {26, "sit: without `stand(seat, other);`"},
    {26, "sit: `seat` and `other` swapped in `stand(seat, other);`"},
    {26, "sit: `seat` -> `other` in `stand(seat, other);`"},
    {26, "sit: `other` -> `seat` in `stand(seat, other);`"},
    {27, "sit: `true` -> `false` in `return true;`"},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static const struct slip *find(const struct slips *slips, const char *text)
{
    for (size_t i = 0; i < slips->count; i++)
        if (strcmp(slips->values[i].text, text) == 0)
            return &slips->values[i];
    return NULL;
}

static void each_edit_is_proposed(void **state)
{
    struct slips slips = slips_of(files, 1);
    (void)state;
    for (size_t i = 0; i < EXPECTED; i++) {
        const struct slip *slip = find(&slips, expected[i].text);
        if (!slip || slip->line != expected[i].line)
            fail_msg("line %u, %s: %s", expected[i].line, expected[i].text, slip ? "at another line" : "is missing");
    }
    for (size_t i = 0; i < slips.count; i++) {
        bool is_expected = false;
        for (size_t e = 0; e < EXPECTED; e++)
            is_expected |= strcmp(slips.values[i].text, expected[e].text) == 0;
        if (!is_expected)
            fail_msg("line %u: '%s' is not expected", slips.values[i].line, slips.values[i].text);
    }
    slips_free(&slips);
}

/* The line of the changed file that has the text; null if none. */
static bool changed_has(const struct slip *slip, const char *text)
{
    char path[] = "/tmp/recip-slips-XXXXXX", whole[4096] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(slip_apply(slip, path));
    assert_true(read(file, whole, sizeof whole - 1) > 0);
    close(file);
    unlink(path);
    return strstr(whole, text) != NULL;
}

static void an_edit_changes_what_it_says(void **state)
{
    struct slips slips = slips_of(files, 1);
    (void)state;
    assert_true(changed_has(find(&slips, "sit: without `relax();`"), "!= other)\n        ;\n    if"));
    assert_true(changed_has(find(&slips, "sit: never `seat->next != other`"), "while (((seat->next != other), 0))"));
    assert_true(changed_has(find(&slips, "sit: `seat->state = TAKEN;` after `stand(seat, other);`"),
                            "    stand(seat, other);\n    seat->state = TAKEN;\n    return true;\n}\n"));
    assert_true(changed_has(find(&slips, "sit: without `&& turns < 3`"), "if (!other  )"));
    slips_free(&slips);
}

enum { STALE_MAX = 400 };

static void note(const char *entry, void *to)
{
    size_t length = strlen(to);
    snprintf((char *)to + length, STALE_MAX - length, "%s;", entry);
}

static void the_list_is_read(void **state)
{
    struct slips slips = slips_of(files, 1);
    const struct slip *relax = find(&slips, "sit: without `relax();`");
    const struct slip *stand = find(&slips, "sit: without `stand(seat, other);`");
    (void)state;
    assert_string_equal(equivalent_reason("tas", relax), "nobody looks");
    assert_string_equal(equivalent_reason("mcs", relax), "nobody looks");
    assert_null(equivalent_reason("clh", relax));
    assert_string_equal(equivalent_reason("k42-park", stand), "nobody looks");
    assert_null(equivalent_reason("mcs-park", stand));
    assert_null(equivalent_reason("mcs", stand));
    slips_free(&slips);
}

static void an_entry_without_a_mutant_is_found(void **state)
{
    struct slips slips = slips_of(files, 1), none = {0};
    char stale[STALE_MAX] = "";
    (void)state;
    equivalent_each_stale("tas", &slips, note, stale);
    assert_string_equal(stale, "sample.h sit: without `fall();`;");
    *stale = '\0';
    equivalent_each_stale("mcs", &none, note, stale);
    assert_string_equal(stale, "sample.h sit: without `relax();`;");
    slips_free(&slips);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edit_is_proposed),
        cmocka_unit_test(an_edit_changes_what_it_says),
        cmocka_unit_test(the_list_is_read),
        cmocka_unit_test(an_entry_without_a_mutant_is_found),
    };
    return cmocka_run_group_tests_name("slips", tests, NULL, NULL);
}
