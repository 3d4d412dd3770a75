// SPDX-License-Identifier: MIT
/* Puts the sections together. */
"use strict";

function summaryOf() {
    const sources = [];
    if (documentsOf("recip-bench").length) sources.push("measured");
    if (documentsOf("recip-sim").length) sources.push("simulated");
    const counts = [
        documentsOf("recip-bench").reduce((sum, bench) => sum + bench.summaries.length, 0),
        documentsOf("recip-sim").reduce((sum, sim) => sum + sim.runs.length, 0)];
    const locks = allLocks.length ? `${plural(allLocks.length, "lock")}, ${sources.join(" and ")}. ` : "";
    return `${locks}What is marked measured is measurement; what is marked model comes from a simulated machine. ` +
        `${counts[0]} measured and ${counts[1]} simulated points.`;
}

function buildPage() {
    const locks = [findingsSection(), measuredSection(), paretoSection(), waitingSection(), fairnessSection(), simulatedSection(), calibratedSection(),
        tableSection(), checkedSection()].filter((section) => section);
    /* Whoever has made a page of a program's mutexes alone wants to see those. */
    const sections = [...(locks.length ? [stepsSection(), ...locks, lockedSection()] : [lockedSection(), stepsSection()])].filter((section) => section);
    const content = document.getElementById("content");
    const busy = documentsOf("recip-bench").find((bench) => bench.environment?.busy);
    if (busy)
        content.append(bannerOf(busy.environment));
    for (const [id, title, children] of sections) {
        content.append(make("section", {id, "aria-labelledby": `${id}-title`}, make("h2", {id: `${id}-title`}, title), children));
        document.getElementById("contents").append(make("li", {}, make("a", {href: `#${id}`}, title)));
    }
    document.getElementById("summary").textContent = summaryOf();
    document.getElementById("files").textContent = documents.map((one) => one.file).join(", ");
}

buildPage();
