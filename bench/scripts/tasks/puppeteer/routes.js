await page.goto('{{same}}/app');
await Promise.all([page.waitForNavigation(), page.click('nav a:nth-child(2)')]);
await page.waitForSelector('main li');
const states = await page.$$eval('main li', all => all.map(li => li.textContent));
const customers = [];
for (const id of [2, 5, 8]) {
  await page.click(`a[href="/app/orders/${id}"]`);
  await page.waitForSelector('[data-testid=customer]');
  customers.push(await page.$eval('[data-testid=customer]', e => e.textContent));
  await page.click('main a');
  await page.waitForSelector('main li');
}
return { states, customers };
