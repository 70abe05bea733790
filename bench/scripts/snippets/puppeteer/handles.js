// Element handles: find inside, look, act.
await page.setViewport({ width: 800, height: 600 });
await page.goto('{{same}}/gallery');
const figure = await page.$('figure:nth-of-type(2)');
const image = await figure.$('img');
const alt = await image.evaluate(i => i.alt);
const caption = await figure.$eval('figcaption', c => c.textContent);
const figures = await page.$$('figure');
const inner = await figures[2].$$eval('*', all => all.map(e => e.localName));
const title = await (await figures[2].getProperty('title')).jsonValue();
await image.click();
const said = await page.$eval('#said', e => e.textContent);
const box = await page.$('#box');
const { width, height } = await box.boundingBox();
const model = await box.boxModel();
const bottom = await page.$('#bottom');
const before = await bottom.isIntersectingViewport();
await bottom.scrollIntoView();
const after = await bottom.isIntersectingViewport();
const star = await page.$('star-rating >>> .star:nth-child(3)');
await star.click();
const rated = await page.$eval('#said', e => e.textContent);
const stars = await page.$$eval('star-rating:first-of-type >>> .star', all => all.map(s => s.textContent));
const byText = await page.$('::-p-text(Tray)');
const byAria = await page.$('::-p-aria([name="A blue cup"][role="image"])');
const byXPath = await page.$$('::-p-xpath(//figcaption)');
const found = [await byText.evaluate(e => e.localName), await byAria.evaluate(e => e.localName), byXPath.length];
await page.goto('{{same}}/menu');
const item = await page.$('#file');
const menu = await item.$('.submenu');
const visible = [await menu.isVisible(), await menu.isHidden()];
await item.hover();
visible.push(await menu.isVisible());
await (await menu.$('button')).click();
const chosen = await page.$eval('#said', e => e.textContent);
const options = await page.$('#options');
await options.focus();
await options.press('End');
let gone;
await page.$eval('#more', e => e.remove());
try { await image.click(); } catch (error) { gone = error instanceof Error; }
return {
  alt, caption, count: figures.length, inner, title, said, width, height, model: [model.width, model.height, model.content.length], before, after, rated, stars,
  found, visible, chosen,
  picked: await page.$eval('[aria-selected=true][role=option]', e => e.textContent), gone,
};
