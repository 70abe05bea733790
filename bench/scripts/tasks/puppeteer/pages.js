await page.goto('{{same}}/people');
const names = [];
for (let number = 1; number <= 5; number++) {
  await page.waitForFunction(n => document.querySelector('#position').textContent.startsWith(`Page ${n} of 5`), {}, number);
  names.push(...await page.$$eval('#people td:first-child', all => all.map(td => td.textContent)));
  if (number < 5) await page.click('#next');
}
return names;
