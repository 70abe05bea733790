// Sort a table, filter rows, read all pages.
await page.goto('{{same}}/people');
const table = page.getByRole('table', { name: 'People' });
const rows = table.locator('tbody tr');
await rows.first().waitFor();
const headers = await table.getByRole('columnheader').allTextContents();
const firstName = await rows.first().locator('td').first().textContent();
const lastName = (await rows.last().locator('td').allInnerTexts())[0];

const sorted = page.waitForResponse(r => r.url().includes('sort=age'));
await table.getByRole('button', { name: 'Age' }).click();
await sorted;
await table.locator('th[aria-sort=ascending]').waitFor();
const ages = await rows.locator('td:nth-child(3)').allTextContents();

await page.getByPlaceholder('Name or town').fill('oslo');
await page.getByRole('status').filter({ hasText: /of 1,/ }).waitFor();
const inOslo = await rows.count();
await rows.filter({ hasText: 'Finn' }).first().getByRole('button', { name: 'Call' }).click();
const called = await page.locator('#said').textContent();
const without = await rows.filter({ hasNotText: 'Finn' }).count();
const withButton = await rows.filter({ has: page.getByRole('button', { name: 'Call' }) }).count();
await page.getByPlaceholder('Name or town').clear();
await page.getByText('Page 1 of 5').waitFor();

const names = [];
for (;;) {
  await page.locator('#people[aria-busy=false]').waitFor();
  names.push(...await rows.locator('td:first-child').allTextContents());
  const next = page.getByRole('button', { name: 'Next' });
  if (await next.isDisabled()) break;
  const before = await page.getByRole('status').textContent();
  await next.click();
  await page.waitForFunction(text => document.querySelector('[role=status]').textContent !== text, before);
}
return { headers, firstName, lastName, ages, inOslo, called, without, withButton, total: names.length, last: names.at(-1), nth: await rows.nth(2).locator('td').nth(1).textContent() };
