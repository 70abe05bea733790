// The ten steps of TestTenStepsInTheUsersChrome, with Playwright or Puppeteer: node -e … LIBRARY URL SITE.
const [library, url, site] = process.argv.slice(1);
const say = (...words) => console.log(...words);

async function playwright() {
  const browser = await require("playwright-core").chromium.connectOverCDP(url);
  const [context] = browser.contexts();
  const desk = context.pages().find((p) => p.url() === site + "/");
  say("who:", await desk.textContent("#who"));
  const page = await context.newPage();
  await page.goto(site + "/new?by=playwright");
  await page.fill("#title", "Pay rent");
  await page.selectOption("#priority", "high");
  await page.check("#urgent");
  await page.click("#add");
  say("list:", await page.textContent("li"));
  page.once("dialog", (d) => d.accept());
  await page.click("#archive");
  await page.waitForSelector("text=archived");
  await page.close();
  await browser.close();
}

async function puppeteer() {
  const browser = await require("puppeteer-core").connect({ browserWSEndpoint: url, defaultViewport: null });
  const desk = (await browser.pages()).find((p) => p.url() === site + "/");
  say("who:", await desk.$eval("#who", (e) => e.textContent));
  const page = await browser.newPage();
  await page.goto(site + "/new?by=puppeteer");
  await page.type("#title", "Pay rent");
  await page.select("#priority", "high");
  await page.click("#urgent");
  await Promise.all([page.waitForNavigation(), page.click("#add")]);
  say("list:", await page.$eval("li", (e) => e.textContent));
  page.once("dialog", (d) => d.accept());
  await page.click("#archive");
  await page.waitForFunction(() => document.getElementById("status").textContent === "archived");
  await page.close();
  await browser.disconnect();
}

({ playwright, puppeteer })[library]().catch((error) => { console.log(String(error.stack)); process.exitCode = 1; });
