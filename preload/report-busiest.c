/* SPDX-License-Identifier: MIT */
/* The totals of all mutexes, and those on which threads waited longest. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include "preload/select-lock.h"

static bool is_busier(const struct record *a, const struct record *b)
{
    return a->wait_total != b->wait_total ? a->wait_total > b->wait_total : a->acquisitions > b->acquisitions;
}

/* An insertion sort that keeps the first `max`. */
int report_busiest(const struct record *records, uint32_t count, const struct record **chosen, int max)
{
    int size = 0;
    for (uint32_t i = 1; i <= count; i++) {
        if (!records[i].acquisitions)
            continue;
        int place = size < max ? size++ : max;
        if (place == max && !is_busier(&records[i], chosen[max - 1]))
            continue;
        place = place == max ? max - 1 : place;
        for (; place > 0 && is_busier(&records[i], chosen[place - 1]); place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = &records[i];
    }
    return size;
}

struct report_totals report_totals(const struct record *records, uint32_t count)
{
    struct report_totals totals = {0};
    for (uint32_t i = 1; i <= count; i++) {
        totals.mutexes += records[i].acquisitions > 0;
        totals.acquisitions += records[i].acquisitions;
        totals.contended += records[i].contended;
        totals.waited += records[i].wait_total;
    }
    return totals;
}

double report_ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

const char *report_lock_id(void)
{
    return preload_zoo ? preload_zoo->id : "mutex";
}
