await page.setViewport({ width: 1000, height: 700 });
await page.goto('{{same}}/board');
for (const [card, column] of [['#card-order-paper', '#doing'], ['#card-fix-the-printer', '#done']]) {
  const from = await (await page.$(card)).boundingBox(), to = await (await page.$(column)).boundingBox();
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 60, { steps: 4 });
  await page.mouse.move(to.x + 65, to.y + 65);
  await page.mouse.up();
  await page.waitForSelector(`${column} ${card}`);
}
return { count: await page.$eval('#count', e => e.textContent), doing: await page.$$eval('#doing b', all => all.map(b => b.textContent)) };
