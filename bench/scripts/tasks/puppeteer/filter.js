await page.goto('{{same}}/people');
await page.waitForSelector('#people[aria-busy=false]');
const found = {};
for (const town of ['Oslo', 'Lyon', 'Bern']) {
  await page.locator('#filter').fill(town);
  await page.waitForFunction(t => [...document.querySelectorAll('#people td:nth-child(2)')].every(td => td.textContent === t), {}, town);
  found[town] = await page.$eval('#position', e => e.textContent);
}
for (const row of await page.$$('#people tbody tr')) {
  if (!(await row.evaluate(tr => tr.textContent)).includes('Ada')) continue;
  await (await row.$('button')).click();
  break;
}
return { found, said: await page.$eval('#said', e => e.textContent) };
