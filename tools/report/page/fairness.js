// SPDX-License-Identifier: MIT
/* How evenly the threads were admitted. */
"use strict";

function fairnessChoices() {
    const choices = [];
    const add = (label, kind, rows) => unique(rows.map((row) => row.threads)).filter((count) => count > 1).sort(byNumber).forEach((count) =>
        choices.push({label: `${label}, ${plural(count, "thread")}`, kind, rows: rows.filter((row) => row.threads === count)}));
    for (const bench of documentsOf("recip-bench").filter((one) => one.kind !== "waiting")) {
        const rows = bench.summaries.filter((row) => typeof row.jain === "number");
        for (const workload of unique(rows.map((row) => row.workload)))
            add(`${kindTitles[bench.kind] ?? bench.kind}: ${workloadTitle(workload).toLowerCase()}`, "measured",
                rows.filter((row) => row.workload === workload).map((row) => ({
                    lock: row.lock, threads: row.threads, jain: row.jain, ratio: row.least_over_most, passed: row.most_passed})));
    }
    for (const sim of documentsOf("recip-sim"))
        add(`${sim.machine}: ${workloadTitle(sim.workload).toLowerCase()}`, "model", sim.runs.filter((row) => typeof row.fairness === "number").map((row) => ({
            lock: row.lock, threads: row.threads, jain: row.fairness, ratio: row.unfairness ? 1 / row.unfairness : 0, period: row.period})));
    return choices;
}

function fairnessTable(choice) {
    const last = choice.kind === "model"
        ? ["period of the order", (row) => row.period ? String(row.period) : "none"]
        : ["most passed by", (row) => row.passed === undefined ? "" : shortNumber(row.passed)];
    const rows = choice.rows.filter((row) => shownLocks.has(row.lock)).sort((a, b) => b.jain - a.jain);
    return makeTable("Fairness", ["lock", "Jain's index", "least over most", last[0]], rows.map((row) => [
        row.lock, make("span", {class: "barred"}, row.jain.toFixed(3), shareBar(row.jain, row.lock)), typeof row.ratio === "number" ? row.ratio.toFixed(3) : "", last[1](row)]));
}

function fairnessSection() {
    const choices = fairnessChoices();
    if (!choices.length)
        return null;
    const place = make("div", {});
    let current = choices.reduce((best, one, i) => one.kind === choices[0].kind && one.rows[0].threads >= choices[best].rows[0].threads ? i : best, 0);
    const draw = (index) => {
        current = index;
        place.replaceChildren(make("p", {class: "note"}, origin(choices[index].kind)), fairnessTable(choices[index]));
    };
    watchLocks(place, () => draw(current));
    return ["fairness", "Fairness", [
        make("p", {}, "Jain's index is 1 when all threads are admitted equally often, and 1 over the number of threads when only one is. The palindrome of a reciprocating lock can admit a thread half as often as another: least over most 0.5."),
        makeChoice("Show", choices.map((one) => one.label), current, draw), place,
        makeLegend(unique(choices.flatMap((one) => one.rows.map((row) => row.lock))))]];
}
