// SPDX-License-Identifier: MIT
// node's worker threads: memory that they share, messages, and the pool that hashes and reads files. Prints what has to come out.
import {pbkdf2, createHash} from "node:crypto";
import {readFile} from "node:fs/promises";
import {fileURLToPath} from "node:url";
import {promisify} from "node:util";
import {isMainThread, parentPort, Worker, workerData} from "node:worker_threads";

const own = fileURLToPath(import.meta.url);
const sha = (text) => createHash("sha256").update(text).digest("hex");

if (isMainThread) {
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const workers = [...Array(8).keys()].map((index) => new Worker(own, {workerData: {shared, index}}));
    const answers = await Promise.all(workers.map((worker) => new Promise((done, failed) => {
        worker.on("message", done);
        worker.on("error", failed);
    })));
    const ends = await Promise.all(workers.map((worker) => worker.terminate().then(() => "ended")));
    console.log(shared[1], sha(answers.join(" ")), ends.length);
    const keys = await Promise.all([...Array(40).keys()].map((i) => promisify(pbkdf2)(`word ${i}`, "salt", 2000, 32, "sha256")));
    const files = await Promise.all([...Array(200).keys()].map(() => readFile(own, "utf8")));
    console.log(sha(keys.map((key) => key.toString("hex")).join(" ")), new Set(files.map(sha)).size);
} else {
    const {shared, index} = workerData;
    // A lock in shared memory, by the futex that JavaScript has.
    for (let i = 0; i < 10000; i++) {
        while (Atomics.exchange(shared, 0, 1) !== 0)
            Atomics.wait(shared, 0, 1, 1);
        shared[1]++;
        Atomics.store(shared, 0, 0);
        Atomics.notify(shared, 0, 1);
    }
    let text = `worker ${index}`;
    for (let i = 0; i < 2000; i++)
        text = sha(text);
    parentPort.postMessage(text);
}
