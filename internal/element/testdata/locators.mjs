// Prints what locators of the real Playwright match, as JSON: for each the names of the elements, or the error.
// node locators.mjs <playwright-core> <chromium> <url>, and the locators as a JSON array on standard input.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [, , library, executablePath, url] = process.argv;
const { chromium } = createRequire(import.meta.url)(library);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(url);
const results = [];
for (const code of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const locator = new Function("page", `return ${code}`)(page);
    results.push({ matches: await locator.evaluateAll((all) => all.map((el) => el.dataset.n)) });
  } catch (error) {
    results.push({ error: String(error) });
  }
}
console.log(JSON.stringify(results));
await browser.close();
