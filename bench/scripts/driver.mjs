// Runs scripts under Playwright or Puppeteer: the bodies of async functions over page and browser.
//
//   node driver.mjs LIBRARY MODULES CHROMIUM serve            launches a browser; a request per line of input, an answer per line of output
//   node driver.mjs LIBRARY MODULES CHROMIUM once FILE        launches a browser, runs one script, prints its answer
//   node driver.mjs LIBRARY MODULES WEBSOCKET connect FILE    the same in a browser that runs
//
// Request: {"code", "keep"}; keep is the name of a page that stays for the next request with that name, "" is a fresh page in a
// fresh context. Answer: {"value", "ms"} or {"error": {"name", "message"}, "ms"}; ms is the time of the script alone.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [library, modules, place, mode, file] = process.argv.slice(2);
const flags = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"];
if (process.getuid?.() === 0) flags.push("--no-sandbox");

const load = async path => (await import(pathToFileURL(`${modules}/${path}`))).default;
const libraries = {
  playwright: {
    load: async () => (await load("playwright-core/index.js")).chromium,
    launch: chromium => chromium.launch({ executablePath: place, args: flags }),
    connect: chromium => chromium.connectOverCDP(place),
    context: browser => browser.newContext({ acceptDownloads: true }),
    existing: browser => browser.contexts()[0],
    leave: browser => browser.close(), // of a connection it ends that alone
  },
  puppeteer: {
    load: () => load("puppeteer-core/lib/esm/puppeteer/puppeteer-core.js"),
    launch: puppeteer => puppeteer.launch({ executablePath: place, args: flags }),
    connect: puppeteer => puppeteer.connect({ browserWSEndpoint: place }),
    context: browser => browser.createBrowserContext(),
    existing: browser => browser.defaultBrowserContext(),
    leave: browser => browser.disconnect(),
  },
};

const { load: open, launch, connect, context: newContext, existing, leave } = libraries[library];
const AsyncFunction = (async () => {}).constructor;

async function run(code, page, browser) {
  const body = new AsyncFunction("page", "browser", code);
  const began = performance.now();
  let answer;
  try {
    answer = { value: await body(page, browser) };
  } catch (error) {
    answer = { error: { name: error?.name ?? typeof error, message: String(error?.message ?? error) } };
  }
  return { ...answer, ms: performance.now() - began };
}

async function serve() {
  const browser = await launch(await open());
  const kept = new Map();
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    const { code, keep } = JSON.parse(line);
    let page = kept.get(keep), context;
    if (!page) {
      context = await newContext(browser);
      page = await context.newPage();
      if (keep) kept.set(keep, page);
    }
    const answer = await run(code, page, browser);
    if (!keep) await context.close();
    console.log(JSON.stringify(answer));
  }
  await browser.close();
}

async function once() {
  const tool = await open();
  const browser = mode === "once" ? await launch(tool) : await connect(tool);
  const page = mode === "once" ? await browser.newPage() : await existing(browser).newPage();
  console.log(JSON.stringify(await run(readFileSync(file, "utf8"), page, browser)));
  if (mode === "once") return browser.close();
  await page.close();
  await leave(browser);
}

await (mode === "serve" ? serve() : once());
process.exit(0);
