// SPDX-License-Identifier: MIT
/* What was found on this machine, in three sentences made from the results. A sentence says that one lock is ahead of another only where
 * their runs say so. */
"use strict";

const nameOf = (id) => id === "pthread" ? "the system's mutex" : id === "mutex" ? "the mutex" : id;

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/* "1.3 times as fast as" from a ratio and its verdict; null where no difference was seen or it cannot be told. */
function aheadOf(speed) {
    if (!speed?.confident || (speed.low <= 1 && speed.high >= 1))
        return null;
    return speed.median > 1 ? `${digits(speed.median)} times as fast as` : `${digits(1 / speed.median)} times slower than`;
}

/* Maximum contention with as many threads as there are CPUs: who is ahead, and where the mutex is. */
function findThroughput() {
    for (const bench of documentsOf("recip-bench").filter((one) => ["mutexbench", "mutex"].includes(one.kind))) {
        const cpus = bench.environment?.cpus ?? Infinity;
        const crowd = bench.summaries.filter((row) => row.threads > 1 && row.threads <= cpus && ["max", "step/0"].includes(row.workload));
        const most = Math.max(...crowd.map((row) => row.threads));
        const rows = crowd.filter((row) => row.threads === most && row.value.median > 0).sort((a, b) => b.value.median - a.value.median);
        if (rows.length < 2)
            continue;
        const first = rows[0], mutex = rows.find((row) => row.lock === "mutex");
        const speed = bench.comparisons?.find((row) => row.lock === "mutex" && row.workload === first.workload && row.threads === most &&
            row.baseline === bench.options?.baseline && !row.best_peer && !row.bare);
        const ratio = aheadOf(speed?.speed);
        const rate = (row) => `${shortNumber(row.value.median)}/s`;
        const lead = `With ${plural(most, "thread")} that do little but lock, ${nameOf(first.lock)} has the highest median, ${rate(first)}.`;
        if (!mutex || !speed)
            return lead;
        return `${lead} ${mutex === first ? "It" : `The mutex, with ${rate(mutex)},`} is ` +
            (ratio ? `${ratio} ${nameOf(speed.baseline)}.` : `level with ${nameOf(speed.baseline)}, as far as the runs can tell.`);
    }
    return null;
}

/* The cell with the most hogs: what the thread waits that locks seldom. */
function findWaiting() {
    const cells = documentsOf("recip-bench").filter((one) => one.kind === "waiting" && !one.options?.condition_variables)
        .flatMap((bench) => bench.summaries.filter((row) => row.lock === "mutex" && row.wait_ns_p99?.median > 0).map((mutex) => {
            const {workload, threads} = mutex, baseline = bench.options?.baseline;
            return {bench, mutex, workload, threads, baseline: bench.summaries.find((row) => row.lock === baseline && row.workload === workload &&
                row.threads === threads && row.wait_ns_p99?.median > 0)};
        })).filter((cell) => cell.baseline && cell.baseline !== cell.mutex).sort((a, b) => b.threads - a.threads);
    if (!cells.length)
        return null;
    const {bench, mutex, baseline, workload, threads} = cells[0], part = shownPart([mutex, baseline]);
    return `A thread that locks about every ${nanoseconds((bench.options?.period_seconds ?? 1e-3) * 1e9)} beside ${cellTitle(workload, threads)}, waits ` +
        `${nanoseconds(waitTime(mutex, part, "p99"))} (p99) for the mutex and ${nanoseconds(waitTime(baseline, part, "p99"))} for ${nameOf(baseline.lock)}.`;
}

/* What a mutex that lets few threads compete pays for its throughput in a short run. */
function unevenness(row) {
    return row?.unfairness > 3 ? `; its most admitted thread was admitted ${digits(row.unfairness)} times as often as its least` : "";
}

/* The largest crowd that was simulated, under moderate contention if there is that; the mutex beside the best and beside glibc's algorithm. */
function findSimulated() {
    const sims = documentsOf("recip-sim").filter((sim) => sim.runs.some((row) => row.throughput > 0 && row.threads > 1))
        .map((sim) => ({sim, most: Math.max(...sim.runs.filter((row) => row.throughput > 0).map((row) => row.threads))}))
        .sort((a, b) => (b.sim.workload === "moderate") - (a.sim.workload === "moderate") || b.most - a.most);
    if (!sims.length)
        return null;
    const {sim, most} = sims[0];
    const rows = sim.runs.filter((row) => row.threads === most && row.throughput > 0).sort((a, b) => b.throughput - a.throughput);
    const first = rows[0], mutex = rows.find((row) => row.lock === "mutex");
    return `On the simulated ${sim.machine} with ${plural(most, "thread")} (${workloadTitle(sim.workload).toLowerCase()}), ${nameOf(first.lock)} gets most done, ` +
        `${shortNumber(first.throughput)}/s` + (mutex && mutex !== first ? `; the mutex gets ${digits(100 * mutex.throughput / first.throughput)} % of that` : "") + unevenness(mutex) + ".";
}

function findExplored() {
    const clients = documentsOf("recip-check").flatMap((one) => one.locks).flatMap((lock) => lock.clients)
        .filter((client) => client.verdict !== "does not apply");
    const failed = clients.filter((client) => client.verdict !== "ok");
    const executions = clients.reduce((sum, client) => sum + (client.executions ?? 0), 0);
    if (!clients.length)
        return null;
    return failed.length ? `${plural(failed.length, "exploration")} of ${clients.length} did not pass.`
        : `All ${executions.toLocaleString("en")} executions that were explored are right.`;
}

function findingsSection() {
    const found = [findThroughput(), findWaiting(), findSimulated(), findExplored()].filter((text) => text).slice(0, 3);
    const busy = documentsOf("recip-bench").some((bench) => bench.environment?.busy);
    return found.length ? ["findings", "What was found", [busy ? make("p", {class: "note"}, "On a busy machine: see the banner.") : null, make("ul", {class: "findings"}, found.map((text) => make("li", {}, capital(text))))]] : null;
}
