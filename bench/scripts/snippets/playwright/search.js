// Debounced search: wait for the answer, pick a result.
await page.goto('{{same}}/search');
const box = page.getByRole('searchbox', { name: 'Search' });
await box.click();
const response = page.waitForResponse(r => r.url().endsWith('/api/search?q=tea') && r.status() === 200);
await box.pressSequentially('tea', { delay: 20 });
const answer = await response;
const data = await answer.json();
const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
await page.getByRole('status').getByText('results').waitFor();
const count = await results.count();
const titles = await results.getByRole('link').allTextContents();
const asked = await page.evaluate(() => window.asked);

await box.press('Enter');
const chosen = await page.locator('#chosen').textContent();
await box.fill('kettle');
await page.getByText('2 results', { exact: true }).waitFor();
const kettles = await results.allInnerTexts();
await box.press('Escape');
await page.getByText('0 results').waitFor();
return {
  method: answer.request().method(), ok: answer.ok(), type: answer.headers()['content-type'], resource: answer.request().resourceType(),
  same: data.map(d => d.title).join() === titles.join(), first: data[0], count, titles, asked, chosen, kettles, empty: await box.inputValue(),
};
