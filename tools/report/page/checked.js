// SPDX-License-Identifier: MIT
/* What recip check explored. */
"use strict";

function checkedSection() {
    const locks = documentsOf("recip-check").flatMap((one) => one.locks);
    if (!locks.length)
        return null;
    const applied = (lock) => lock.clients.filter((client) => client.verdict !== "does not apply");
    const clients = unique(locks.flatMap(applied).map((client) => client.client));
    const cell = (client) => !client || client.verdict === "does not apply" ? ""
        : make("span", {class: client.verdict === "ok" ? "passed" : "failed"}, client.verdict,
            make("small", {}, ` ${executionsOf([client]).toLocaleString("en")} executions`));
    const isPassed = (client) => client.verdict === "ok";
    const executionsOf = (list) => list.reduce((sum, client) => sum + (client.executions ?? 0), 0);
    const all = locks.flatMap(applied);
    return ["checked", "Explored executions", [
        make("p", {}, `Every execution that C11 allows of these lock sources, by threads that acquire a few times: two owners, data races, threads that wait for ever and admissions out of order would be errors. ${all.filter(isPassed).length} of ${all.length} explorations passed, ${executionsOf(all).toLocaleString("en")} executions in all.`),
        makeTable("Explored executions", ["lock", "explorations passed", "executions", "not passed"], locks.map((lock) => [lock.lock,
            make("span", {class: applied(lock).every(isPassed) ? "passed" : "failed"}, `${applied(lock).filter(isPassed).length} of ${applied(lock).length}`),
            executionsOf(applied(lock)).toLocaleString("en"),
            applied(lock).filter((client) => !isPassed(client)).map((client) => `${client.client}: ${client.verdict}`).join(", ")])),
        make("details", {}, make("summary", {}, "Each exploration"), makeTable("Each exploration", ["lock", ...clients], locks.map((lock) =>
            [lock.lock, ...clients.map((name) => cell(lock.clients.find((client) => client.client === name)))])))]];
}
