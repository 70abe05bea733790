// Values into and out of the page, handles, errors.
await page.goto('{{same}}/article?about=leaves');
const values = await page.evaluate(({ n, list, nested, nothing }) => ({
  n: n + 1, list: list.map(x => x * 2), keys: Object.keys(nested), nothing, undef: undefined, text: 'ünïcödé ✓', deep: { a: [{ b: null }] }, yes: true,
}), { n: 41, list: [1, 2, 3], nested: { x: 1, y: { z: 2 } }, nothing: null });
const special = await page.evaluate(() => [NaN, Infinity, -0, new Date(86400000), /a.b/gi, 12n]);
const kinds = [Number.isNaN(special[0]), special[1] === Infinity, Object.is(special[2], -0), special[3] instanceof Date && special[3].getTime(), String(special[4]), typeof special[5]];
const waited = await page.evaluate(async ms => { await new Promise(r => setTimeout(r, ms)); return document.title; }, 30);
const text = await page.evaluate('1 + 2');
const undef = await page.evaluate(() => {});
const handle = await page.evaluateHandle(() => document.querySelector('h1'));
const tag = await handle.evaluate((h, suffix) => h.tagName + suffix, '!');
const both = await page.evaluate(([h, word]) => h.textContent + word, [handle, '?']);
const object = await page.evaluateHandle(() => ({ a: 1, b: 'two' }));
const properties = [...(await object.getProperties()).keys()];
const b = await (await object.getProperty('b')).jsonValue();
const element = handle.asElement();
const none = object.asElement();
await handle.dispose();
const errors = [];
for (const broken of [() => { throw new TypeError('not today'); }, () => Promise.reject(new Error('later')), 'missing.thing']) {
  try { await page.evaluate(broken); } catch (error) { errors.push([error instanceof Error, error.message.split('\n')[0].replace(/^page\.evaluate: /, '')]); }
}
const cells = await page.locator('table td').evaluateAll((all, sign) => all.map(td => td.textContent + sign), ';');
const list = await page.$$eval('li', all => all.map(li => li.textContent));
const one = await page.$eval('time', (t, name) => t.getAttribute(name), 'datetime');
return { values, kinds, waited, text, undef: undef === undefined, tag, both, properties, b, element: element !== null, none, errors, cells, list, one, missing: await page.$('video') };
