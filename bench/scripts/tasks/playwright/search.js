await page.goto('{{same}}/search');
await page.getByLabel('Search').fill('tea');
await page.getByText('5 results').waitFor();
const links = page.getByRole('list', { name: 'Results' }).getByRole('link');
const titles = await links.allTextContents();
await links.nth(2).click();
await page.waitForURL('**/article*');
return { titles, heading: await page.getByRole('heading', { level: 1 }).textContent() };
