// A list that loads more when its end is seen.
await page.setViewportSize({ width: 800, height: 600 });
await page.goto('{{same}}/feed');
const posts = page.locator('article');
await posts.first().waitFor();
await page.waitForLoadState('networkidle');
const first = await posts.count();
let last = 0;
while ((await posts.count()) !== last || !(await page.getByText('That is all').isVisible())) {
  last = await posts.count();
  await posts.last().scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 2000);
  await page.waitForTimeout(50);
}
const titles = await posts.locator('h2').allInnerTexts();
const popular = await posts.filter({ hasText: '22 likes' }).locator('h2').allTextContents();
const likes = await posts.evaluateAll(all => all.reduce((sum, a) => sum + parseInt(a.querySelector('p').textContent), 0));
const elements = await posts.all();
return { first, count: titles.length, last: titles.at(-1), popular, likes, all: elements.length, third: await elements[2].getAttribute('id'), top: await page.evaluate(() => scrollY > 1000) };
