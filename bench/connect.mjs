// Measures Playwright's connectOverCDP through two addresses of one browser, in turn, until every page is usable.
//
//   node connect.mjs MODULES DIRECT ENDPOINT TABS RUNS
//
// Prints {"direct":[ms],"endpoint":[ms]}: the time until connectOverCDP returns. It fails if a page is missing or cannot be used then.
import { pathToFileURL } from "node:url";

const [modules, direct, endpoint, tabs, runs] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(`${modules}/playwright-core/index.js`))).default;
const addresses = { direct, endpoint };
const took = { direct: [], endpoint: [] };
const warm = 10; // rounds before the first that counts: Node compiles Playwright in them
const rest = 100; // ms after each, in which the browser ends the session of the last
for (let run = -warm; run < Number(runs); run++) {
  for (const name of run & 1 ? ["direct", "endpoint"] : ["endpoint", "direct"]) {
    const began = performance.now();
    const browser = await chromium.connectOverCDP(addresses[name]);
    const ms = performance.now() - began;
    const pages = browser.contexts()[0].pages();
    if (pages.length !== Number(tabs)) throw new Error(`${name}: ${pages.length} pages of ${tabs}`);
    if (await pages[(run + warm) % pages.length].evaluate("1 + 1") !== 2) throw new Error(`${name}: a page is not usable`);
    if (run >= 0) took[name].push(ms);
    await browser.close();
    await new Promise((done) => setTimeout(done, rest));
  }
}
console.log(JSON.stringify(took));
