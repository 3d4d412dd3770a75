// SPDX-License-Identifier: MIT
// chromium.mjs PROGRAM: a page whose workers add up, and which draws, in the browser of that name. Prints what the page says.
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {Chromium} from "../../report/chromium.mjs";

const worker = `onmessage = ({data}) => {
    let sum = 0;
    for (let i = 0; i < data; i++)
        sum = (sum + i) % 4294967296;
    postMessage(sum);
};`;
const answers = `Promise.all([0, 1, 2, 3].map(() => new Promise((done) => {
    const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(worker)}], {type: "text/javascript"})));
    worker.onmessage = ({data}) => done(data);
    worker.postMessage(100000);
})))`;

const folder = mkdtempSync(join(tmpdir(), "recip-chromium-"));
const page = join(folder, "page.html");
writeFileSync(page, `<!DOCTYPE html><title>Workers</title>${"<p>one of many lines".repeat(2000)}<canvas width=100 height=100></canvas>`);
const browser = await Chromium.start(process.argv[2]);
const tab = await browser.open(page);
console.log((await tab.evaluate(answers)).join(" "));
console.log(await tab.evaluate(`document.querySelectorAll("p").length`), tab.complaints);
console.log((await tab.picture()).length > 1000 ? "a picture" : "no picture");
await browser.stop();
rmSync(folder, {recursive: true, force: true});
