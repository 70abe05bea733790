// Attaches to the browser at the port given and does nothing more: no page gets a dialog listener. Leaves with its input.
const { chromium } = require("playwright-core");
chromium.connectOverCDP(`http://127.0.0.1:${process.argv[1]}`).then(browser => {
  const pages = browser.contexts().flatMap(context => context.pages());
  console.log(`attached to ${pages.length} pages`);
  process.stdin.resume().on("end", () => process.exit());
}, error => { console.error(error); process.exit(1); });
