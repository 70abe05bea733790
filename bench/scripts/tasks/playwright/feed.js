await page.setViewportSize({ width: 800, height: 600 });
await page.goto('{{same}}/feed');
for (let count = 10; count <= 60; count += 10) {
  await page.locator('article').nth(count - 1).waitFor();
  await page.locator('article').last().scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 1000);
}
return page.locator('article h2').allTextContents();
