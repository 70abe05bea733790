await page.setViewport({ width: 800, height: 600 });
await page.goto('{{same}}/feed');
for (let count = 10; count <= 60; count += 10) {
  const last = await page.waitForSelector(`#post-${count}`);
  await last.scrollIntoView();
  await page.mouse.wheel({ deltaY: 1000 });
}
return page.$$eval('article h2', all => all.map(h => h.textContent));
