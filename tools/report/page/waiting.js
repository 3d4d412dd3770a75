// SPDX-License-Identifier: MIT
/* Waiting by the clock: what threads that lock all the time get done, against the wait of one that locks seldom; and how that
 * wait is distributed. */
"use strict";

/* As they stand on the axis, and what the fields are called. */
const waitPercentiles = [["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p99.9", "p999"], ["longest", "max"]].map(([name, field]) => ({name, field}));

/* Nanoseconds of a part of the time, "from_due", "late" or "wait": the median of the runs, if there is one; null if it is not known. */
function waitTime(row, part, field) {
    const value = row[`${part}_ns_${field}`];
    return value?.median ?? value ?? null;
}

/* What is shown of these locks: from due until a thread has the lock; in older results, and for consumers, from when it runs. */
function shownPart(rows) {
    return rows.every((row) => row.from_due_ns_p50 && row.from_due_ns_p90 && row.from_due_ns_p99?.median > 0 && row.from_due_ns_max > 0) ? "from_due" : "wait";
}

/* "20/0" with 3 hogs. */
function cellTitle(workload, hogs) {
    const [inside, outside] = workload.split("/").map(Number);
    const times = Number.isFinite(inside) && Number.isFinite(outside)
        ? `${nanoseconds(inside)} inside, ${outside ? nanoseconds(outside) : "nothing"} outside` : workload;
    return `${plural(hogs, "hog")}, ${times}`;
}

/* One choice for each document, workload and number of hogs that has waits. */
function waitingChoices(benches) {
    return benches.flatMap((bench) => {
        const rows = bench.summaries.filter((row) => row.wait_ns_p50 && row.wait_ns_p90 && row.wait_ns_p99?.median > 0 &&
            row.wait_ns_max > 0 && row.value.median > 0);
        const prefix = (benches.length > 1 ? `${bench.file}: ` : "") + (bench.options?.condition_variables ? "signalled, " : "");
        return unique(rows.map((row) => `${row.workload}\n${row.threads}`)).map((key) => {
            const [workload, hogs] = [key.split("\n")[0], Number(key.split("\n")[1])];
            const shown = rows.filter((row) => row.workload === workload && row.threads === hogs);
            return {bench, label: prefix + cellTitle(workload, hogs), workload, hogs, rows: shown, part: shownPart(shown)};
        });
    });
}

/* A line for each lock over the percentiles. */
function plotPercentiles({rows, label, part}) {
    const place = make("div", {class: "plot", tabindex: "0", role: "img", "data-plot": "percentiles",
        "aria-label": `Percentiles of the wait, ${label}; the arrow keys show the values, the table below has them all`});
    const tip = make("div", {class: "tip", "aria-live": "polite"});
    tip.hidden = true;
    const xs = waitPercentiles.map((_, i) => i);
    const values = rows.map((row) => waitPercentiles.map((one) => waitTime(row, part, one.field) || null));
    const showValues = (plot) => {
        const at = plot.cursor.idx;
        if (at === null || at === undefined || plot.cursor.left < 0) {
            tip.hidden = true;
            return;
        }
        fillTip(tip, waitPercentiles[at].name, rows.map((row, i) => [row.lock, values[i][at]])
            .filter(([id, value]) => value !== null && shownLocks.has(id)).sort((a, b) => b[1] - a[1])
            .map(([id, value]) => [id, nanoseconds(value)]));
        placeTip(tip, plot, plot.cursor.left, plot.cursor.top);
    };
    const plot = new uPlot({
        width: 320, height: 300, padding: [16, 16, 0, 0], legend: {show: false},
        cursor: {y: false, drag: {x: false, y: false}, points: {size: 8}},
        scales: {
            x: {time: false, range: () => [-0.2, xs.length - 0.8]},
            y: {distr: 3, range: (u, least, most) => most > 0 ? [least / 2, most * 2] : [1e2, 1e6]},
        },
        axes: [
            axis({label: "percentile", size: 34, splits: () => xs, filter: (u, splits) => splits, values: () => waitPercentiles.map((one) => one.name)}),
            axis({label: "wait", size: 62, ...logAxis(nanoseconds)}),
        ],
        series: [{}, ...rows.map((row) => ({label: row.lock, stroke: () => colourOf(row.lock), width: 1.75, dash: dashOf(row.lock),
            points: {show: true, size: 6, fill: () => colourOf(row.lock), stroke: () => colourOf(row.lock)}}))],
        hooks: {setCursor: [showValues]},
    }, [xs, ...values], place);
    place.append(tip);
    place.addEventListener("keydown", (event) => movePointer(event, plot, xs.length));
    place.addEventListener("blur", () => plot.setCursor({left: -10, top: -10}));
    keepPlot(plot, place, () => Math.max(280, Math.min(420, place.clientWidth * 0.5)),
        () => rows.forEach((row, i) => plot.setSeries(i + 1, {show: shownLocks.has(row.lock)})));
    return place;
}

function plotWaitingPareto({rows, label, part}) {
    const place = make("div", {class: "plot", role: "img", "data-plot": "pareto",
        "aria-label": `Throughput of the hogs against the 99th percentile of the wait, ${label}; the table below has the values`});
    const tip = make("div", {class: "tip"});
    tip.hidden = true;
    plotPareto(place, tip, rows.map((row) => ({id: row.lock, rate: row.value.median, wait: waitTime(row, part, "p99")})), "wait, p99", "p99");
    return place;
}

/* With its interval, where there is one. */
function waitCell(interval) {
    if (typeof interval !== "object")
        return interval === undefined ? "" : nanoseconds(interval);
    return make("span", {}, nanoseconds(interval.median), interval.low === interval.high ? null
        : make("small", {}, `${nanoseconds(interval.low)} to ${nanoseconds(interval.high)}`));
}

function waitingTable(choice) {
    const ratios = new Map((choice.bench.comparisons ?? []).filter((row) => row.workload === choice.workload && row.threads === choice.hogs)
        .map((row) => [row.lock, row]));
    const baseline = choice.bench.options?.baseline ?? "";
    const ratio = (interval) => !interval?.confident ? "" : make("span", {}, digits(interval.median),
        make("small", {}, `${digits(interval.low)} to ${digits(interval.high)}`));
    const parts = choice.part === "wait" ? [] : ["late", "wait"], titles = {late: "late", wait: "then waits"};
    return makeTable("Throughput of the hogs and waits",
        ["lock", "hogs", `over ${baseline}`, "least/most", "CPU time", ...waitPercentiles.map((one) => one.name), `p99 over ${baseline}`,
            ...parts.flatMap((part) => ["p50", "p90", "p99"].map((name) => `${titles[part]}, ${name}`))],
        choice.rows.map((row) => [row.lock, shortNumber(row.value.median) + "/s", ratio(ratios.get(row.lock)?.speed),
            typeof row.least_over_most === "number" ? row.least_over_most.toFixed(2) : "",
            typeof row.cpu_ns_per_operation === "number" ? nanoseconds(row.cpu_ns_per_operation) : "",
            ...waitPercentiles.map((one) => waitCell(row[`${choice.part}_ns_${one.field}`])), ratio(ratios.get(row.lock)?.[`${choice.part}_p99`]),
            ...parts.flatMap((part) => ["p50", "p90", "p99"].map((name) => waitCell(row[`${part}_ns_${name}`])))]));
}

/* How late timers are without any lock. */
function explainLateness(late) {
    const beside = (one) => one.computing ? `beside ${plural(one.computing, "thread")} that compute` : "alone";
    return (late ?? []).length ? ` Without any lock a thread is late by (p50, p90, p99) ` +
        late.map((one) => `${["p50", "p90", "p99"].map((name) => nanoseconds(one[name])).join(", ")} ${beside(one)}`).join("; ") + "." : "";
}

function explainWaiting({bench, part}) {
    const others = bench.options?.seldom_threads ?? 1, every = nanoseconds((bench.options?.period_seconds ?? 1e-3) * 1e9);
    if (bench.options?.condition_variables)
        return make("p", {class: "note"},
            `${plural(others, "consumer")}, each signalled every ${every} on average. A wait is from the signal until the consumer has the mutex.`);
    return make("p", {class: "note"}, `${plural(others, "thread")} beside the hogs, each locking every ${every} on average. A wait is from when ` +
        (part === "wait" ? "the thread runs, or was due, until it has the lock." : "the thread is due until it has the lock. At first the thread is late, " +
            "that is, the kernel does not run it yet; then it waits for the lock. The table has both parts." + explainLateness(bench.options?.timer_late_ns)));
}

function waitingSection() {
    const all = documentsOf("recip-bench").filter((bench) => bench.kind === "waiting");
    const isSignalled = (bench) => Boolean(bench.options?.condition_variables);
    const benches = [...all.filter((bench) => !isSignalled(bench)), ...all.filter(isSignalled)];
    const choices = waitingChoices(benches);
    if (!choices.length)
        return null;
    const holder = make("div", {});
    const draw = (index) => {
        const choice = choices[index];
        const pareto = make("figure", {}, make("figcaption", {}, "Throughput of the hogs and p99 of the wait"));
        const percentiles = make("figure", {}, make("figcaption", {}, "Percentiles of the wait"));
        holder.replaceChildren(environmentOf(choice.bench), explainWaiting(choice), caveatsOf(choice.bench),
            make("div", {class: "figures"}, pareto, percentiles),
            make("details", {class: "wide"}, make("summary", {}, "The values"), waitingTable(choice)));
        pareto.append(plotWaitingPareto(choice));
        percentiles.append(plotPercentiles(choice));
    };
    return ["waiting", "Waiting by the clock", [
        make("p", {}, "Some threads, the hogs, lock all the time. How long does another wait that comes now and then, by the clock? ",
            "Percentiles of acquisitions that were made, as in the sections above, cannot tell: they count acquisitions, and a thread that waits for long makes few. ",
            "While it waits for ten milliseconds, the others acquire a hundred thousand times, and its wait is one in a hundred thousand; the longer the waits, the fewer they are, and the better the lock looks. ",
            "Here every arrival counts, whether or not the one before has been served. ", origin("measured")),
        make("p", {}, "Right is faster, down is less waiting. Nothing shown beats the locks on the dashed line in both."),
        makeChoice("Show", choices.map((one) => one.label), 0, draw), holder,
        makeLegend(unique(choices.flatMap((one) => one.rows.map((row) => row.lock))))]];
}
