await page.goto('{{same}}/people');
await page.locator('#people[aria-busy=false]').waitFor();
const found = {};
for (const town of ['Oslo', 'Lyon', 'Bern']) {
  await page.getByPlaceholder('Name or town').fill(town);
  await page.locator('#people tbody').filter({ hasNotText: town === 'Oslo' ? 'Porto' : 'Lagos' }).waitFor();
  await page.waitForFunction(t => [...document.querySelectorAll('#people td:nth-child(2)')].every(td => td.textContent === t), town);
  found[town] = await page.getByRole('status').textContent();
}
await page.getByRole('row').filter({ hasText: 'Ada' }).first().getByRole('button').click();
return { found, said: await page.locator('#said').textContent() };
