// Debounced search: wait for the answer, pick a result.
await page.goto('{{same}}/search');
const box = await page.waitForSelector('#q', { visible: true });
const [response] = await Promise.all([
  page.waitForResponse(r => r.url().includes('/api/search') && r.ok()),
  box.type('tea', { delay: 20 }),
]);
const data = await response.json();
await page.waitForSelector('#results li');
const titles = await page.$$eval('#results a', links => links.map(a => a.textContent));
const asked = await page.evaluate(() => window.asked);
await box.press('Enter');
const chosen = await page.$eval('#chosen', e => e.innerText);
const again = page.waitForResponse('{{same}}/api/search?q=kettle');
await page.$eval('#q', e => { e.value = ''; });
await page.type('#q', 'kettle');
const second = await again;
await page.waitForFunction(() => document.querySelector('#status').textContent === '2 results');
const links = await page.$$('#results a');
const href = await links[1].evaluate(a => a.getAttribute('href'));
await Promise.all([page.waitForNavigation(), links[1].click()]);
return {
  status: [response.status(), response.statusText()], method: response.request().method(), type: response.headers()['content-type'], resource: response.request().resourceType(),
  same: data.map(d => d.title).join() === titles.join(), titles, asked, chosen, fromCache: second.fromCache(), links: links.length, href, heading: await page.$eval('h1', h => h.textContent),
};
