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
    const sections = [measuredSection(), simulatedSection(), calibratedSection(), paretoSection(), waitingSection(), fairnessSection(), tableSection(),
        checkedSection(), lockedSection(), stepsSection()].filter((section) => section);
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
