// SPDX-License-Identifier: MIT
/* Table 1 beside the paper's. */
"use strict";

function tableWord(value) {
    if (value === null || value === undefined) return "n/a";
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "number" ? digits(value) : value;
}

function tableCell(lock, property) {
    const here = tableWord(lock[property.name]);
    if (!lock.paper)
        return make("span", {}, here);
    const paper = tableWord(lock.paper[property.name]);
    return make("span", lock.differs.includes(property.name) ? {class: "differs"} : {}, here, make("small", {title: "the paper"}, paper));
}

function tableOf(document) {
    const differing = document.locks.reduce((sum, lock) => sum + lock.differs.length, 0);
    const compared = document.locks.filter((lock) => lock.paper).length * document.properties.length;
    return [
        make("p", {}, `Each property as it follows from the lock sources, and small below it the paper's value. ${differing} of ${compared} differ: `,
            make("span", {class: "differs"}, "like this"), ". Properties are observed or follow from the types; events are counted by the ", origin("model"),
            `: invalidations with ${document.threads} threads, remote misses with ${document.remote_threads}. Counts of instructions and events differ when they are more than a tenth apart. Path complexity is that of this source under another compiler.`),
        makeTable("Table 1", ["", ...document.locks.map((lock) => lock.id)],
            document.properties.map((property) => [property.title, ...document.locks.map((lock) => tableCell(lock, property))]))];
}

function tableSection() {
    const tables = documentsOf("recip-table");
    return tables.length ? ["table", "Table 1", tables.flatMap(tableOf)] : null;
}
