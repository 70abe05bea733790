// Saves the state of a browser context with storageState, or loads one and prints what a page of it finds:
// node -e SCRIPT save|load FILE ORIGIN BROWSER
const { chromium } = require("playwright-core");
const [what, file, origin, executablePath] = process.argv.slice(1);

const fill = () => new Promise((ok, no) => {
  localStorage.setItem("k", "of Playwright");
  const open = indexedDB.open("db", 2);
  open.onupgradeneeded = () => open.result.createObjectStore("s", { keyPath: "id" }).createIndex("i", "when");
  open.onsuccess = () => {
    const t = open.result.transaction("s", "readwrite");
    t.objectStore("s").put({ id: 1, when: new Date(7), big: 10n, bytes: new Uint8Array([1, 2]), plain: [null] });
    t.oncomplete = () => { open.result.close(); ok(); };
    t.onabort = () => no(t.error);
  };
});

const find = () => new Promise((ok, no) => {
  const open = indexedDB.open("db");
  open.onerror = () => no(open.error);
  open.onsuccess = () => {
    const get = open.result.transaction("s").objectStore("s").get(1);
    get.onerror = () => no(get.error);
    get.onsuccess = () => {
      const { when, big, bytes, plain } = get.result;
      ok({ version: open.result.version, local: { ...localStorage }, when: when.getTime(), big: String(big), bytes: [...bytes], plain });
    };
  };
});

(async () => {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const context = await browser.newContext(what === "load" ? { storageState: file } : {});
  const page = await context.newPage();
  await page.goto(origin + "/small");
  if (what === "save") {
    await page.evaluate(fill);
    await context.addCookies([{ name: "sid", value: "of Playwright", url: origin, httpOnly: true }]);
    await context.storageState({ path: file, indexedDB: true });
  } else {
    const cookies = (await context.cookies(origin)).map(c => `${c.name}=${c.value} ${c.httpOnly}`);
    console.log(JSON.stringify({ cookies, ...await page.evaluate(find) }));
  }
  await browser.close();
})().catch(error => { console.error(error); process.exit(1); });
