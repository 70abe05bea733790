// Values into and out of the page, handles, errors.
await page.goto('{{same}}/article?about=leaves');
const values = await page.evaluate((n, list, nested, nothing) => ({
  n: n + 1, list: list.map(x => x * 2), keys: Object.keys(nested), nothing, text: 'ünïcödé ✓', deep: { a: [{ b: null }] }, yes: true,
}), 41, [1, 2, 3], { x: 1, y: { z: 2 } }, null);
const special = [await page.evaluate(() => NaN), await page.evaluate(() => -0), await page.evaluate(() => Infinity), await page.evaluate(() => 12n)];
const kinds = [Number.isNaN(special[0]), Object.is(special[1], -0), special[2] === Infinity, typeof special[3]];
const waited = await page.evaluate(async ms => { await new Promise(r => setTimeout(r, ms)); return document.title; }, 30);
const text = await page.evaluate('1 + 2');
const undef = (await page.evaluate(() => {})) === undefined;
const handle = await page.evaluateHandle(() => document.querySelector('h1'));
const tag = await page.evaluate((h, suffix) => h.tagName + suffix, handle, '!');
const own = await handle.evaluate((h, word) => h.textContent + word, '?');
const object = await page.evaluateHandle(() => ({ a: 1, b: 'two' }));
const properties = [...(await object.getProperties()).keys()];
const b = await (await object.getProperty('b')).jsonValue();
const element = handle.asElement() !== null;
const none = object.asElement();
const whole = await object.jsonValue();
const remote = handle.remoteObject().subtype;
await handle.dispose();
const errors = [];
for (const broken of [() => { throw new TypeError('not today'); }, () => Promise.reject(new Error('later')), 'missing.thing']) {
  try { await page.evaluate(broken); } catch (error) { errors.push([error instanceof Error, error.name, error.message]); }
}
try { await page.evaluate(h => h, handle); } catch (error) { errors.push(/disposed/i.test(error.message)); }
const cells = await page.$$eval('table td', (all, sign) => all.map(td => td.textContent + sign), ';');
const one = await page.$eval('time', (t, name) => t.getAttribute(name), 'datetime');
return { values, kinds, waited, text, undef, tag, own, properties, b, element, none, whole, remote, errors, cells, one, missing: await page.$('video'), none2: (await page.$$('video')).length };
