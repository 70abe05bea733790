// Sizes of pictures, by the headers of their files; a PDF.
const size = png => [png.readUInt32BE(16), png.readUInt32BE(20)];
await page.setViewportSize({ width: 640, height: 480 });
await page.goto('{{same}}/gallery');
const viewport = await page.screenshot();
const full = await page.screenshot({ fullPage: true });
const height = await page.evaluate(() => document.documentElement.scrollHeight);
const element = await page.locator('#box').screenshot();
const clip = await page.screenshot({ clip: { x: 10, y: 20, width: 100, height: 50 } });
const jpeg = await page.screenshot({ type: 'jpeg', quality: 50 });
const box = await page.locator('#box').boundingBox();
const pdf = await page.pdf({ format: 'A4' });
await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
const media = await page.evaluate(() => [matchMedia('print').matches, matchMedia('(prefers-color-scheme: dark)').matches]);
return {
  magic: viewport.subarray(1, 4).toString('latin1'), viewport: size(viewport), full: size(full)[0] === 640 && size(full)[1] === height, element: size(element), clip: size(clip),
  jpeg: jpeg[0] === 0xff && jpeg[1] === 0xd8, smaller: jpeg.length < full.length, box: [box.width, box.height],
  pdf: pdf.subarray(0, 5).toString(), big: pdf.length > 1000, media, size: page.viewportSize(), inner: await page.evaluate(() => [innerWidth, innerHeight]),
};
