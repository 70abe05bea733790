await page.goto('{{same}}/search');
await page.type('#q', 'tea');
await page.waitForFunction(() => document.querySelector('#status').textContent === '5 results');
const links = await page.$$('#results a');
const titles = [];
for (const link of links) titles.push(await link.evaluate(a => a.textContent));
await Promise.all([page.waitForNavigation(), links[2].click()]);
return { titles, heading: await page.$eval('h1', h => h.textContent) };
