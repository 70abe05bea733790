await page.goto('{{same}}/board');
for (const title of ['Buy ink', 'Call Ada', 'Sweep']) {
  await page.click('#new');
  await page.waitForSelector('#dialog', { visible: true });
  await page.type('#title', title);
  await page.select('#owner', 'Linus');
  await page.click('#save');
  await page.waitForSelector('#dialog', { hidden: true });
}
return { count: await page.$eval('#count', e => e.textContent), titles: await page.$$eval('.card b', all => all.map(b => b.textContent)) };
