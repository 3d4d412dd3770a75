// SPDX-License-Identifier: MIT
/* What recip sim --calibrate found: the model of a machine beside the machine. */
"use strict";

/* Modelled over measured; marked where it is further off than the summary's 25 %. */
function ratioCell(cell) {
    if (!cell)
        return "";
    const times = `${typeof cell.measured_ns === "number" ? nanoseconds(cell.measured_ns) : "not measured"}, ${nanoseconds(cell.modelled_ns)}`;
    if (typeof cell.ratio !== "number")
        return make("span", {}, "-", make("small", {}, times));
    return make("span", Math.abs(cell.ratio - 1) > 0.25 ? {class: "differs"} : {}, digits(cell.ratio), make("small", {}, times));
}

const rankText = (value) => typeof value === "number" ? value.toFixed(2) : "-";

function calibrationOf(one) {
    const columns = one.columns.filter((column) => column.locks > 0);
    const title = (column) => `${workloadTitle(column.workload)}, ${plural(column.threads, "thread")}`;
    const cellOf = (lock, column) => one.cells.find((cell) =>
        cell.lock === lock && cell.workload === column.workload && cell.threads === column.threads);
    return make("div", {class: "calibration", "data-file": one.file},
        makeTable("How near the model is", ["", "locks", "within 25 %", "within 10 %", "rank correlation", "of the measurement with itself"],
            columns.map((column) => [title(column), column.locks, column.within_25_percent, column.within_10_percent,
                rankText(column.rank_correlation), rankText(column.repeated)].map(String))),
        makeTable("Modelled over measured", ["lock", ...columns.map(title)],
            unique(one.cells.map((cell) => cell.lock)).map((lock) => [lock, ...columns.map((column) => ratioCell(cellOf(lock, column)))])),
        make("details", {}, make("summary", {}, "The machine, as it was measured"),
            make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Machine file"}, make("pre", {}, one.machine_file))));
}

function calibratedSection() {
    const all = documentsOf("recip-calibration");
    if (!all.length)
        return null;
    return ["calibrated", "The model beside the machine", [
        make("p", {}, "The same locks, ", origin("measured"), " on this machine and on a ", origin("model"),
            " of it. A cell is the time that the model gives an episode over the time that was measured, and below it both, measured first; those that are more than a quarter off are marked ",
            make("span", {class: "differs"}, "like this"),
            ". The rank correlation says whether the model puts the locks into the order in which they are; the measurement's own, of its odd rounds with its even ones, is the most that can be asked for."),
        ...all.map(calibrationOf)]];
}
