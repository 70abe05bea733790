// Sizes of pictures, by the headers of their files; a PDF.
const size = bytes => { const png = Buffer.from(bytes); return [png.readUInt32BE(16), png.readUInt32BE(20)]; };
await page.setViewport({ width: 640, height: 480 });
await page.goto('{{same}}/gallery');
const viewport = await page.screenshot();
const full = await page.screenshot({ fullPage: true });
const height = await page.evaluate(() => document.documentElement.scrollHeight);
const element = await (await page.$('#box')).screenshot();
const clip = await page.screenshot({ clip: { x: 10, y: 20, width: 100, height: 50 } });
const jpeg = await page.screenshot({ type: 'jpeg', quality: 50 });
const text = await page.screenshot({ encoding: 'base64' });
const pdf = await page.pdf({ format: 'A4', printBackground: true });
await page.setViewport({ width: 400, height: 300, deviceScaleFactor: 2 });
const double = await page.screenshot();
return {
  magic: Buffer.from(viewport).toString('latin1', 1, 4), viewport: size(viewport), full: size(full)[0] === 640 && size(full)[1] === height, element: size(element), clip: size(clip),
  jpeg: jpeg[0] === 0xff && jpeg[1] === 0xd8, text: [typeof text, text.slice(0, 8)], pdf: Buffer.from(pdf).toString('latin1', 0, 5), big: pdf.length > 1000, double: size(double),
  bytes: viewport instanceof Uint8Array, inner: await page.evaluate(() => [innerWidth, innerHeight]),
};
