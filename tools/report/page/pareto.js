// SPDX-License-Identifier: MIT
/* Throughput against the time that the unlucky wait: a point for each lock; nothing beats those on the frontier in both. */
"use strict";

/* The indices of the points that no other beats in both, from the slowest to the fastest. */
function frontierOf(points) {
    return points.filter((one) => !points.some((other) => other !== one &&
        other.rate >= one.rate && other.wait <= one.wait && (other.rate > one.rate || other.wait < one.wait)))
        .sort((a, b) => a.rate - b.rate);
}

/* Where a name of that width may stand beside a point: right of it, left, above, below; within the plot. */
function placesOfName(plot, x, y, width, gap, height) {
    const start = plot.bbox.left, end = start + plot.bbox.width - width;
    const over = Math.max(start, Math.min(end, x - width / 2));
    return [{left: x + gap, y}, {left: x - gap - width, y}, {left: over, y: y - height}, {left: over, y: y + height}]
        .filter(({left}) => left >= start && left <= end);
}

/* Names beside the points, the mutex's and those of the frontier first; one that would run into another, or into a point, is left out. */
function drawNames(plot, points, frontier) {
    const context = plot.ctx, gap = 8 * devicePixelRatio, height = 14 * devicePixelRatio;
    const shown = points.filter((one) => shownLocks.has(one.id));
    const taken = shown.map((one) => ({left: plot.valToPos(one.rate, "x", true) - gap / 2, width: gap, y: plot.valToPos(one.wait, "y", true)}));
    context.save();
    context.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = css("--ink");
    for (const one of unique([...shown.filter((point) => point.id === "mutex"), ...frontier, ...shown])) {
        const x = plot.valToPos(one.rate, "x", true), y = plot.valToPos(one.wait, "y", true);
        const width = context.measureText(one.id).width;
        const free = placesOfName(plot, x, y, width, gap, height).find((at) => !taken.some((other) =>
            at.left < other.left + other.width && other.left < at.left + width && Math.abs(at.y - other.y) < height));
        if (!free)
            continue;
        taken.push({...free, width});
        context.fillText(one.id, free.left, free.y);
    }
    context.restore();
}

/* Points of {id, rate, wait}, in nanoseconds; `label` of the axis, and `short` for the box of values, say which wait. */
function plotPareto(place, tip, unordered, label, short) {
    const points = [...unordered].sort((a, b) => a.rate - b.rate);
    const xs = points.map((one) => one.rate);
    const own = points.map((one) => points.map((other) => other === one ? other.wait : null));
    const line = (frontier) => points.map((one) => frontier.includes(one) ? one.wait : null);
    let frontier = frontierOf(points.filter((one) => shownLocks.has(one.id)));
    const showValues = (plot) => {
        const near = points.filter((one) => shownLocks.has(one.id)).map((one) => ({one, distance: Math.hypot(
            plot.valToPos(one.rate, "x") - plot.cursor.left, plot.valToPos(one.wait, "y") - plot.cursor.top)}))
            .sort((a, b) => a.distance - b.distance)[0];
        if (!near || plot.cursor.left < 0 || near.distance > 40) {
            tip.hidden = true;
            return;
        }
        fillTip(tip, near.one.id, [[near.one.id, `${shortNumber(near.one.rate)}/s, ${short} ${nanoseconds(near.one.wait)}`]]);
        placeTip(tip, plot, plot.valToPos(near.one.rate, "x"), plot.valToPos(near.one.wait, "y"));
    };
    const plot = new uPlot({
        width: 320, height: 300, padding: [16, 16, 0, 0], legend: {show: false},
        cursor: {x: false, y: false, drag: {x: false, y: false}, points: {show: false}},
        scales: {
            x: {time: false, range: () => [0, xs.at(-1) * 1.08]},
            y: {distr: 3, range: (u, least, most) => most > 0 ? [least / 2, most * 2] : [1e2, 1e6]},
        },
        axes: [
            axis({label: "operations per second", size: 34, values: (u, splits) => splits.map(shortNumber)}),
            axis({label, size: 62, ...logAxis(nanoseconds)}),
        ],
        series: [{}, {label: "frontier", stroke: () => css("--soft"), width: 1, dash: [4, 4], spanGaps: true, points: {show: false},
                      paths: uPlot.paths.stepped({align: 1})},
            ...points.map((one) => ({label: one.id, paths: () => null, stroke: () => colourOf(one.id),
                points: {show: true, size: one.id === "reciprocating" ? 12 : 9, fill: () => colourOf(one.id), stroke: () => css("--paper"), width: 1}}))],
        hooks: {setCursor: [showValues], draw: [(u) => drawNames(u, points, frontier)]},
    }, [xs, line(frontier), ...own], place);
    place.append(tip);
    keepPlot(plot, place, () => Math.max(280, Math.min(420, place.clientWidth * 0.5)), () => {
        frontier = frontierOf(points.filter((one) => shownLocks.has(one.id)));
        points.forEach((one, i) => plot.setSeries(i + 2, {show: shownLocks.has(one.id)}));
        plot.setData([xs, line(frontier), ...own]);
    });
    return plot;
}

/* What to show first: moderate contention, with as many threads as there are CPUs at most. */
function usualChoice(choices) {
    const fitting = choices.filter((one) => one.workload === "moderate" && one.threads <= one.cpus);
    return fitting.length ? choices.indexOf(fitting.at(-1)) : 0;
}

/* One choice for each combination that has waiting times. */
function paretoChoices() {
    return documentsOf("recip-bench").filter((bench) => bench.better !== "less").flatMap((bench) => {
        const rows = bench.summaries.filter((row) => row.acquire_ns_p999 > 0 && row.threads > 1 && row.value.median > 0);
        return unique(rows.map((row) => `${row.workload}\n${row.threads}`)).map((key) => {
            const [workload, threads] = [key.split("\n")[0], Number(key.split("\n")[1])];
            return {
                workload, threads, cpus: bench.environment?.cpus ?? Infinity,
                label: `${kindTitles[bench.kind] ?? bench.kind}: ${workloadTitle(workload).toLowerCase()}, ${plural(threads, "thread")}`,
                rows: rows.filter((row) => row.workload === workload && row.threads === threads),
            };
        });
    });
}

function paretoSection() {
    const choices = paretoChoices();
    if (!choices.length)
        return null;
    const holder = make("div", {});
    const draw = (index) => {
        const place = make("div", {class: "plot", role: "img", "aria-label": `Throughput against the time to acquire at the 99.9th percentile, ${choices[index].label}; the table below has the values`});
        const tip = make("div", {class: "tip"});
        tip.hidden = true;
        const rows = [...choices[index].rows].sort((a, b) => b.value.median - a.value.median);
        holder.replaceChildren(place, make("details", {}, make("summary", {}, "The values"),
            makeTable("Throughput and time to acquire", ["lock", "throughput", "p50", "p99", "p99.9", "longest"], rows.map((row) => [row.lock,
                shortNumber(row.value.median) + "/s", ...["p50", "p99", "p999", "max"].map((name) =>
                    row[`acquire_ns_${name}`] === undefined ? "" : nanoseconds(row[`acquire_ns_${name}`]))]))));
        plotPareto(place, tip, rows.map((row) => ({id: row.lock, rate: row.value.median, wait: row.acquire_ns_p999})),
            "time to acquire, p99.9", "p99.9");
    };
    return ["pareto", "Throughput against waiting", [
        make("p", {}, "Right is faster, down is less waiting for one acquisition in a thousand. Nothing shown beats the locks on the dashed line in both. ",
            "These are acquisitions that were made: a lock that keeps few threads waiting for long looks better here than by the clock. ", origin("measured")),
        make("figure", {}, makeChoice("Show", choices.map((one) => one.label), usualChoice(choices), draw), holder),
        makeLegend(unique(choices.flatMap((one) => one.rows.map((row) => row.lock))))]];
}
