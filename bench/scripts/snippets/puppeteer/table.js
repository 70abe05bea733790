// Sort a table, filter rows, read all pages.
await page.goto('{{same}}/people');
await page.waitForSelector('#people tbody tr');
const headers = await page.$$eval('#people th', all => all.map(th => th.textContent));
const rows = () => page.$$eval('#people tbody tr', all => all.map(tr => [...tr.cells].slice(0, 3).map(td => td.textContent)));
const first = (await rows())[0];
await page.click('[data-sort=age]');
await page.waitForFunction(() => document.querySelector('th[aria-sort=ascending]'));
const ages = (await rows()).map(r => r[2]);
await page.click('[data-sort=age]');
await page.waitForSelector('th[aria-sort=descending]');
const oldest = (await rows())[0];

await page.type('#filter', 'oslo');
await page.waitForFunction(text => document.querySelector('#position').textContent.includes(text), {}, 'of 1,');
const inOslo = (await rows()).length;
const call = await page.$('#people tbody tr:nth-child(2) button');
await call.click();
const called = await page.$eval('#said', e => e.textContent);
await page.click('#filter', { count: 3 });
await page.keyboard.press('Backspace');
await page.waitForFunction('document.querySelector("#position").textContent.startsWith("Page 1 of 5")');

const selected = await page.select('#size', '25');
await page.waitForFunction(() => document.querySelectorAll('#people tbody tr').length === 25);
const names = [];
while (true) {
  names.push(...(await rows()).map(r => r[0]));
  if (await page.$eval('#next', b => b.disabled)) break;
  const before = await page.$eval('#position', e => e.textContent);
  await page.click('#next');
  await page.waitForFunction(b => document.querySelector('#position').textContent !== b, { polling: 'mutation' }, before);
}
return { headers, first, ages, oldest, inOslo, called, selected, total: names.length, last: names.at(-1) };
