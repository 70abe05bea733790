// Functions of the script in the page, and scripts before the page's own.
const calls = [];
await page.exposeFunction('report', async (what, more) => { calls.push([what, more]); return { took: what.length, more }; });
await page.evaluateOnNewDocument(() => { window.early = document.readyState + ' ' + (document.body === null); });
const { identifier } = await page.evaluateOnNewDocument((n, word) => { window.given = word + n * 2; }, 21, 'n');
await page.goto('{{same}}/search');
const early = await page.evaluate(() => [window.early, window.given]);
const answer = await page.evaluate(async () => [await window.report('hello', { deep: [1, null] }), await window.report('again')]);
await page.removeScriptToEvaluateOnNewDocument(identifier);
await page.goto('{{same}}/article');
const survives = await page.evaluate(() => window.report('after a navigation').then(r => r.took));
const removed = await page.evaluate(() => typeof window.given);
await page.addScriptTag({ content: 'window.added = [1, 2, 3].length' });
await page.addStyleTag({ content: 'h1 { color: rgb(1, 2, 3) }' });
await page.exposeFunction('fails', () => { throw new Error('refused by the script'); });
let thrown;
try { await page.evaluate(() => window.fails()); } catch (error) { thrown = error.message.split('\n')[0]; }
await page.setContent('<title>Own</title><p id=p>content of the script</p>');
return { early, answer, survives, removed, calls, thrown, own: await page.$eval('#p', p => p.textContent), title: await page.title(), html: (await page.content()).includes('<p id="p">') };
