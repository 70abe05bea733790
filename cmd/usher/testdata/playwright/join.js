// Joins a session of usher at the address given, uses it as a test would, and prints what it saw.
const { chromium } = require("playwright-core");
const say = (...words) => console.log(...words);
(async () => {
  const [url, site] = process.argv.slice(1);
  const browser = await chromium.connectOverCDP(url);
  const [context] = browser.contexts();
  const [first] = context.pages();
  say("open before:", browser.contexts().length, context.pages().length, await first.title());
  // Steps on a page that was open before the client came.
  first.on("dialog", dialog => { say("dialog:", dialog.message()); dialog.accept(); });
  await first.evaluate(() => alert("hello"));
  await first.reload();
  say("reloaded:", await first.title(), await first.locator("h1").textContent());
  // New tabs, of its own and of pages.
  const page = await context.newPage();
  await page.goto(site + "/forms");
  await page.fill("#text", "typed by Playwright");
  const [popup] = await Promise.all([context.waitForEvent("page"), page.evaluate(to => { window.open(to); }, site + "/small")]);
  await popup.waitForLoadState();
  say("popup:", await popup.title(), (await popup.opener()) === page);
  await popup.close();
  // Cookies, frames of another process, routes, downloads.
  await context.addCookies([{ name: "joined", value: "yes", url: site }]);
  say("cookies:", (await context.cookies(site)).map(c => c.name + "=" + c.value).join());
  await page.goto(site + "/frames");
  say("frames:", page.frames().length, await page.frames().at(-1).evaluate(() => document.readyState));
  await page.route("**/routed", route => route.fulfill({ body: "routed" }));
  say("route:", await page.evaluate(to => fetch(to).then(r => r.text()), site + "/routed"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => {
    const a = document.createElement("a"); a.href = "data:text/plain,downloaded"; a.download = "d.txt"; a.click();
  })]);
  say("download:", download.suggestedFilename(), require("fs").readFileSync(await download.path(), "utf8"));
  // A browser context of its own.
  const own = await browser.newContext();
  const alone = await own.newPage();
  await alone.goto(site + "/small");
  say("own context:", await alone.title(), (await own.cookies(site)).length);
  await own.close();
  await page.goto(site + "/forms");
  await browser.close();
  say("left");
})().catch(error => { console.error(error); process.exit(1); });
