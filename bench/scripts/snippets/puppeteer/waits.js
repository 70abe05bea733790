// Waits, network idle, and time-outs.
await page.goto('{{same}}/slow');
const attempt = async run => {
  try { await run(); return 'no error'; } catch (error) { return [error.name, error instanceof Error]; }
};
await page.click('#start');
await page.waitForSelector('#veil', { hidden: true });
await page.click('#veiled');
const veiled = await page.$eval('#said', e => e.textContent);
const late = await (await page.waitForSelector('#late', { visible: true })).evaluate(e => e.textContent);
const gone = await page.waitForSelector('#leaves', { hidden: true });
const counted = await page.waitForFunction(n => Number(document.querySelector('#counter').textContent) >= n && 'counted', { polling: 20 }, 5);
const value = await counted.jsonValue();
await page.waitForSelector('::-p-text(Added at the end)');
const xpath = await (await page.waitForSelector('xpath///p[@id="added"]')).evaluate(e => e.textContent);
const errors = {
  selector: await attempt(() => page.waitForSelector('#nowhere', { timeout: 200 })),
  hidden: await attempt(() => page.waitForSelector('h1', { hidden: true, timeout: 200 })),
  function: await attempt(() => page.waitForFunction(() => false, { timeout: 200 })),
  navigation: await attempt(() => page.waitForNavigation({ timeout: 200 })),
  response: await attempt(() => page.waitForResponse('{{same}}/never', { timeout: 200 })),
  request: await attempt(() => page.waitForRequest(() => false, { timeout: 200 })),
  locator: await attempt(() => page.locator('#never').setTimeout(300).click()),
  chooser: await attempt(() => page.waitForFileChooser({ timeout: 200 })),
  eval: await attempt(() => page.$eval('#nowhere', e => e.id)),
  click: await attempt(() => page.click('#nowhere')),
  invalid: (await attempt(() => page.$('##')))[1],
};
page.setDefaultTimeout(150);
errors.byDefault = await attempt(() => page.waitForSelector('#nowhere'));
page.setDefaultTimeout(5000);
await page.goto('{{same}}/diagnostics');
await page.click('#burst');
await page.waitForNetworkIdle({ idleTime: 150 });
const done = await page.$eval('#out', e => e.textContent.trim().split('\n').length);
errors.refused = await attempt(() => page.goto('http://127.0.0.1:9/'));
return { veiled, late, gone: gone === null ? 'null' : 'handle', value, xpath, errors, done };
