await page.goto('{{same}}/people');
await page.locator('#people[aria-busy=false]').waitFor();
await page.getByLabel('Rows').selectOption('25');
await page.locator('#people tbody tr').nth(24).waitFor();
const people = [];
for (const row of await page.locator('#people tbody tr').all()) people.push(await row.locator('td').allTextContents());
return people;
