await page.goto('{{same}}/people');
await page.waitForSelector('#people[aria-busy=false]');
await page.select('#size', '25');
await page.waitForSelector('#people tbody tr:nth-child(25)');
const people = [];
for (const row of await page.$$('#people tbody tr')) people.push(await row.$$eval('td', all => all.map(td => td.textContent)));
return people;
