// SPDX-License-Identifier: MIT
/* What recip bench measured: the machine, rates over threads, times, and the ratios to a baseline. */
"use strict";

const kindTitles = {
    mutexbench: "MutexBench", latency: "Latency", atomic: "std::atomic through libatomic", leveldb: "LevelDB",
    fairness: "Admissions over time", mutex: "The mutex and its peers",
};

const workloadTitles = {
    max: "Maximum contention", moderate: "Moderate contention", uncontended: "Uncontended acquire and release",
    handover: "Handover, one way", exchange: "exchange", "compare-exchange": "load and compare_exchange_strong",
    readrandom: "readrandom", "pair/0": "Lock and unlock by one thread, inline",
};

/* Others are "STEPS/STEPS" or, of the mutex, "SECTION/STEPS". */
function workloadTitle(word) {
    if (workloadTitles[word])
        return workloadTitles[word];
    const [, section, outside] = word.match(/^(\w+)\/(\d+)$/) ?? [];
    if (!section)
        return word;
    if (/^\d+$/.test(section))
        return `Steps inside/outside: ${word}`;
    return `Critical section ${section}, ${outside === "0" ? "nothing" : `up to ${plural(Number(outside), "step")}`} outside`;
}

/* What is fixed about a machine, to tell whether two results are of one. */
function machineOf(bench) {
    const machine = bench.environment ?? {};
    return [["CPU", machine.cpu], ["CPUs", machine.cpus], ["architecture", machine.architecture], ["kernel", machine.kernel],
        ["governor", machine.governor], ["virtualised", machine.virtualised === true ? "yes" : machine.virtualised === false ? "no" : null]];
}

/* Facts of the run as pairs; what is not known, or was said above, is left out. */
function environmentOf(bench, previous) {
    const machine = bench.environment ?? {}, options = bench.options ?? {};
    const same = previous && JSON.stringify(machineOf(previous)) === JSON.stringify(machineOf(bench));
    const facts = [
        ...(same ? [["machine", "as above"]] : machineOf(bench)),
        ["load", typeof machine.load_at_start === "number" ? `${digits(machine.load_at_start)} at the start` +
            (typeof machine.load_at_end === "number" ? `, ${digits(machine.load_at_end)} at the end` : "") : null],
        ["runs", options.runs], ["length of a run", options.seconds ? `${digits(options.seconds)} s` : null],
        ["threads pinned", options.pinned === undefined ? null : options.pinned ? "yes" : "no"],
        ["the loop alone", options.loop_ns ? nanoseconds(options.loop_ns) : null],
    ].filter(([, value]) => value !== null && value !== undefined);
    return make("dl", {class: "facts"}, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
}

/* Above figures that were measured beside other programs. */
function bannerOf(machine) {
    return make("p", {class: "busy", role: "alert"}, `The machine was busy: other programs had ${digits(machine.others_cpus)} of its ` +
        `${plural(machine.cpus, "CPU")} meanwhile. These figures say little; measure again when nothing else runs.`);
}

/* What a reader has to know before believing the figures. */
function caveatsOf(bench) {
    const machine = bench.environment ?? {}, notes = [];
    const confident = bench.summaries.every((row) => row.value.confident);
    const mark = bench.better === "less" || bench.kind === "waiting" ? "Intervals" : "Strokes";
    notes.push(confident ? `${mark}: 95 % intervals of the median.` : `${mark}: the least and the most of the runs; too few of them for an interval.`);
    if (machine.virtualised)
        notes.push("A virtual machine: its neighbours are in the figures.");
    if (machine.busy === undefined && machine.cpus && machine.load_at_start > machine.cpus / 4)
        notes.push("The machine was busy with something else.");
    if (machine.cpus && bench.summaries.some((row) => row.threads > machine.cpus))
        notes.push(`Beyond ${plural(machine.cpus, "thread")}, locks that only spin wait for threads that do not run.`);
    if (bench.complete === false)
        notes.push("Interrupted: not all was measured.");
    if (machine.busy)
        notes.push("Measured beside other programs: see above.");
    return make("p", {class: "note"}, notes.join(" "));
}

function intervalOf(row) {
    return row.value.low === row.value.high ? null : [row.value.low, row.value.high];
}

function rateFigure(bench, workload) {
    const rows = bench.summaries.filter((row) => row.workload === workload);
    return {
        title: workloadTitle(workload), unit: "operations per second", short: shortNumber,
        text: (value) => shortNumber(value) + "/s",
        ...arrange(rows, (row) => row.value.median, intervalOf),
    };
}

/* What one operation takes, in nanoseconds, where it is a rate that was measured. */
function timeOf(row) {
    const {median, low, high} = row.value;
    return {...row, value: {median: 1e9 / median, low: 1e9 / high, high: 1e9 / low}};
}

/* Where a time is between the least and the most of all: a point, and a stroke from the low to the high end of its interval. The scale is
 * logarithmic, since nanoseconds stand beside milliseconds. */
function spotOf({median, low, high}, [least, most], id) {
    const share = (value) => value <= least ? 0 : Math.log(value / least) / Math.log(most / least);
    const stroke = make("span", {class: "spot-interval"}), point = make("span", {class: "spot-point"});
    stroke.style.left = `${100 * share(low)}%`;
    stroke.style.width = `${100 * (share(high) - share(low))}%`;
    point.style.left = `${100 * share(median)}%`;
    paint(point, () => { point.style.background = stroke.style.background = colourOf(id); });
    return make("span", {class: "spot", "aria-hidden": "true"}, stroke, point);
}

/* Times: a row for each lock, the shortest first. */
function timesTable(bench, workload) {
    const rows = bench.summaries.filter((row) => row.workload === workload).map((row) => bench.better === "less" ? row : timeOf(row))
        .sort((a, b) => a.value.median - b.value.median);
    const ends = [Math.min(...rows.flatMap((row) => [row.value.low, row.value.median]).filter((value) => value > 0)), Math.max(...rows.map((row) => row.value.high))];
    return make("figure", {}, make("figcaption", {}, workloadTitle(workload)),
        makeTable(workloadTitle(workload), ["lock", "threads", "median", `${nanoseconds(ends[0])} to ${nanoseconds(ends[1])}, logarithmic`], rows.map((row) => [
            row.lock, String(row.threads), make("span", {}, nanoseconds(row.value.median),
                make("small", {}, `${nanoseconds(row.value.low)} to ${nanoseconds(row.value.high)}`)), spotOf(row.value, ends, row.lock)])));
}

/* A share of 1. */
function shareBar(share, id) {
    const inner = make("span", {class: "bar-inner"});
    inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    paint(inner, () => { inner.style.background = colourOf(id); });
    return make("span", {class: "bar", "aria-hidden": "true"}, inner);
}

/* Ratios to the baseline, with what may be said of them. */
function comparisonsOf(bench) {
    const rows = bench.comparisons ?? [];
    if (!rows.length)
        return null;
    const columns = unique(rows.map((row) => `${row.workload} ${row.threads}`));
    const entries = unique(rows.map((row) => `${row.lock} against ${row.baseline}`));
    const cells = new Map(rows.map((row) => [`${row.lock} against ${row.baseline} ${row.workload} ${row.threads}`, row]));
    const cell = (row) => !row ? "" : make("span", {class: "verdict " + row.verdict.replaceAll(" ", "-")},
        digits(row.speed.median), make("small", {}, ` ${digits(row.speed.low)} to ${digits(row.speed.high)}; ${row.verdict}`));
    return make("details", {class: "wide"}, make("summary", {}, `Speed against ${unique(rows.map((row) => row.baseline)).join(", ")}`),
        make("p", {class: "note"}, "Ratios of runs that stood side by side in time; above 1 the lock is faster."),
        makeTable("Speed against the baseline", ["lock", ...columns.map((word) => word.replace(/ (\d+)$/, ", $1 threads"))],
            entries.map((entry) => [entry, ...columns.map((column) => cell(cells.get(`${entry} ${column}`)))])));
}

/* Admissions in each slice of time, of one lock at a time: a line for each thread. */
function admissionsPlot(bench) {
    const runs = (bench.measurements ?? []).filter((row) => row.slices?.length);
    if (!runs.length)
        return null;
    const place = make("div", {class: "plot", role: "img", "aria-label": "Admissions of each thread over time"});
    let plot = null;
    const draw = (index) => {
        const run = runs[index], threads = run.slices[0].length;
        plot?.destroy();
        plot = new uPlot({
            width: place.clientWidth || 320, height: 240, padding: [12, 12, 0, 0], legend: {show: false}, cursor: {show: false},
            scales: {x: {time: false}, y: {range: (u, least, most) => [0, most * 1.06 || 1]}},
            axes: [axis({label: "seconds", size: 34}), axis({label: "admissions in a slice", size: 56, values: (u, splits) => splits.map(shortNumber)})],
            series: [{}, ...Array.from({length: threads}, (_, i) => ({
                label: `thread ${i}`, width: 1.5, stroke: () => palette[i % palette.length][dark.matches ? 1 : 0]}))],
        }, [run.slices.map((_, i) => (i + 1) * (run.slice_seconds ?? 1)), ...Array.from({length: threads}, (_, i) => run.slices.map((slice) => slice[i]))], place);
    };
    const choice = makeChoice("Run", runs.map((row) => `${row.lock}, ${row.workload}, ${plural(row.threads, "thread")}, run ${row.run + 1}`), 0, draw);
    new ResizeObserver(() => plot && place.clientWidth && plot.setSize({width: place.clientWidth, height: 240})).observe(place);
    watchLocks(place, () => plot.redraw());
    return make("figure", {}, make("figcaption", {}, "Admissions of each thread"), choice, place);
}

function benchSection(bench, index, benches) {
    const rates = bench.better !== "less";
    const workloads = unique(bench.summaries.map((row) => row.workload));
    const figures = bench.kind === "fairness" ? [admissionsPlot(bench)]
        : workloads.map((word) => rates && word !== "pair/0" ? makeFigure(rateFigure(bench, word)) : timesTable(bench, word));
    return make("section", {class: "bench", "data-file": bench.file},
        make("h3", {}, kindTitles[bench.kind] ?? bench.kind, " ", origin("measured")),
        environmentOf(bench, benches[index - 1]), caveatsOf(bench),
        make("div", {class: "figures"}, figures),
        rates && bench.kind !== "fairness" ? makeLegend(unique(bench.summaries.map((row) => row.lock))) : null,
        comparisonsOf(bench));
}

function measuredSection() {
    const benches = documentsOf("recip-bench").filter((bench) => bench.kind !== "waiting");
    return benches.length ? ["measured", "Throughput on this machine", benches.map(benchSection)] : null;
}
