// Drives the relay with Playwright: node acceptance.js URL SITE-PORT SET. Prints a line for each failed step, and "N of M" last.
const { chromium } = require("playwright-core");
const fs = require("fs");

const [url, port, set] = process.argv.slice(-3);
const site = "http://127.0.0.1:" + port;
let passed = 0, all = 0;

async function step(name, run) {
  all++;
  let timer;
  const limit = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("it takes too long")), 60000)));
  try {
    await Promise.race([run(), limit]);
    passed++;
  } catch (error) {
    console.log(name + ": " + String(error.message).split("\n").slice(0, 2).join(" | "));
  }
  clearTimeout(timer);
}

function equal(got, want) {
  if (got !== want) throw new Error("got " + JSON.stringify(got) + ", want " + JSON.stringify(want));
}

async function inFrame(page, id, text) {
  const frame = page.frameLocator(id);
  await frame.locator("#i").fill(text);
  await frame.locator("button").click();
  equal(await frame.locator("#o").textContent(), "got " + text);
}

// Tabs that were open before the client came.
async function adopt(context) {
  const find = (end) => context.pages().find((p) => p.url().endsWith(end));
  await step("pages", async () => { if (!find("/form") || !find("/frames")) throw new Error(context.pages().map((p) => p.url()).join()); });
  const form = find("/form"), frames = find("/frames");
  await step("url", async () => equal(form.url(), site + "/form"));
  await step("title", async () => equal(await form.title(), "form"));
  await step("evaluate", async () => equal(await form.evaluate(() => document.title + 1), "form1"));
  await step("screenshot", async () => { if ((await form.screenshot()).length < 100) throw new Error("empty"); });
  await step("fill", () => form.fill("#i", "abc"));
  await step("click", async () => { await form.click("button"); equal(await form.textContent("#o"), "got abc"); });
  await step("reload", () => form.reload());
  await step("title after reload", async () => equal(await form.title(), "form"));
  await step("fill after reload", () => form.fill("#i", "x"));
  await step("frame of another process", () => inFrame(frames, "#cross", "oo"));
  await step("frame of the same process", () => inFrame(frames, "#same", "ss"));
  await step("raw CDP", async () => {
    const session = await context.newCDPSession(form);
    equal((await session.send("Runtime.evaluate", { expression: "6*7" })).result.value, 42);
    await session.detach();
  });
}

// Tabs that the client opens, and what it does in them.
async function open(context, browser) {
  let page;
  await step("new page", async () => { page = await context.newPage(); await page.goto(site + "/popup"); equal(await page.title(), "popup"); });
  for (const id of ["#a", "#w"]) {
    await step("popup " + id, async () => {
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.click(id)]);
      await popup.waitForLoadState();
      equal(await popup.title(), "inner");
      if ((await popup.opener()) !== page && id === "#w") throw new Error("no opener");
      await popup.close();
    });
  }
  await step("cookies", async () => {
    await context.addCookies([{ name: "c", value: "v", url: site + "/" }]);
    equal((await context.cookies(site + "/")).find((c) => c.name === "c").value, "v");
    if ((await context.storageState()).cookies.length === 0) throw new Error("none in storageState");
  });
  await step("download", async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#d")]);
    equal(fs.readFileSync(await download.path(), "utf8"), "file content");
    equal(download.suggestedFilename(), "f.txt");
  });
  await step("route", async () => {
    await page.route("**/mock", (route) => route.fulfill({ body: "mocked" }));
    equal(await page.evaluate(() => fetch("/mock").then((r) => r.text())), "mocked");
    await page.unroute("**/mock");
  });
  await step("exposed function", async () => { await page.exposeFunction("plus", (x) => x + 1); equal(await page.evaluate(() => plus(4)), 5); });
  await step("init script", async () => { await page.addInitScript(() => { window.ini = 7; }); await page.reload(); equal(await page.evaluate(() => ini), 7); });
  await step("dialog", async () => { page.once("dialog", (d) => d.accept("x")); equal(await page.evaluate(() => prompt("q")), "x"); });
  await step("console", async () => { const [m] = await Promise.all([page.waitForEvent("console"), page.evaluate(() => console.log("hey"))]); equal(m.text(), "hey"); });
  await step("viewport", async () => { await page.setViewportSize({ width: 500, height: 400 }); equal(await page.evaluate(() => innerWidth), 500); });
  await step("frames", async () => { await page.goto(site + "/frames"); await inFrame(page, "#cross", "oo"); });
  await step("CDP session of a frame", async () => {
    const frame = page.frames().find((f) => f.url().endsWith("?cross"));
    const session = await context.newCDPSession(frame);
    if (!(await session.send("Runtime.evaluate", { expression: "location.href" })).result.value.endsWith("?cross")) throw new Error("another frame");
    await inFrame(page, "#cross", "again");
  });
  await step("events in a second CDP session", async () => {
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const came = new Promise((resolve) => session.once("Network.requestWillBeSent", resolve));
    await page.evaluate(() => fetch("/x"));
    equal((await came).request.url, site + "/x");
  });
  await step("no second browser context", async () => {
    try { await browser.newContext(); } catch (error) { if (/wasn't found/.test(error.message)) return; throw error; }
    throw new Error("it was made");
  });
  await step("two clients", async () => {
    const other = await chromium.connectOverCDP(url);
    const pages = other.contexts()[0].pages();
    equal(pages.length, context.pages().length);
    const same = pages[context.pages().indexOf(page)];
    equal(await same.title(), "frames");
    await inFrame(same, "#cross", "two");
    const came = page.waitForEvent("console");
    await same.evaluate(() => console.log("from two"));
    equal((await came).text(), "from two");
    await other.close();
    equal(await page.title(), "frames");
  });
  await step("conflict of two clients", async () => {
    await page.route("**/*", (route) => route.continue());
    const other = await chromium.connectOverCDP(url);
    const same = other.contexts()[0].pages()[context.pages().indexOf(page)];
    const session = await other.contexts()[0].newCDPSession(same);
    const error = await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }).then(() => new Error("it was allowed"), (e) => e);
    if (!/conflict/.test(error.message)) throw error;
    await other.close();
    await page.unroute("**/*");
  });
  await step("close", () => page.close());
}

// Waits for lines on standard input: after each it uses the pages that it has.
async function survive(context) {
  const page = context.pages().find((p) => p.url().endsWith("/form"));
  await step("before", async () => equal(await page.title(), "form"));
  await page.evaluate(() => { window.kept = 1; });
  console.log("ready");
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    await step(line, async () => {
      const until = Date.now() + 20000;
      for (;;) { // a command that was on its way is lost
        try { equal(await page.evaluate(() => window.kept), 1); break; } catch (error) { if (Date.now() > until || !/interrupted/.test(error.message)) throw error; }
      }
      await page.fill("#i", line);
      await page.click("button");
      equal(await page.textContent("#o"), "got " + line);
    });
    console.log("done " + line);
  }
}

(async () => {
  const browser = await chromium.connectOverCDP(url, { timeout: 60000 });
  if (parseInt(browser.version()) < 100) console.log("version " + browser.version());
  await { adopt, open, survive }[set](browser.contexts()[0], browser);
  console.log(passed + " of " + all);
  await browser.close();
  process.exit(passed === all ? 0 : 1);
})().catch((error) => { console.log(String(error)); process.exit(1); });
