await page.goto('{{same}}/people');
await page.locator('#people[aria-busy=false]').waitFor();
await page.getByRole('button', { name: 'Town' }).click();
await page.locator('th[aria-sort=ascending]').waitFor();
const up = await page.locator('#people td:nth-child(2)').allTextContents();
await page.getByRole('button', { name: 'Town' }).click();
await page.locator('th[aria-sort=descending]').waitFor();
return { up, down: await page.locator('#people td:nth-child(2)').allTextContents() };
