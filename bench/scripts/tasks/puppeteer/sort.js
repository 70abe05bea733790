await page.goto('{{same}}/people');
await page.waitForSelector('#people[aria-busy=false]');
const towns = () => page.$$eval('#people td:nth-child(2)', all => all.map(td => td.textContent));
await page.click('[data-sort=town]');
await page.waitForSelector('th[aria-sort=ascending]');
const up = await towns();
await page.click('[data-sort=town]');
await page.waitForSelector('th[aria-sort=descending]');
return { up, down: await towns() };
