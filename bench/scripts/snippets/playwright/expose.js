// Functions of the script in the page, and scripts before the page's own.
const calls = [];
await page.exposeFunction('report', async (what, more) => { calls.push([what, more]); return { took: what.length, more }; });
await page.exposeBinding('where', source => new URL(source.frame.url()).pathname);
await page.addInitScript(() => { window.early = document.readyState + ' ' + (document.body === null); });
await page.addInitScript(n => { window.given = n * 2; }, 21);
await page.goto('{{same}}/search');
const early = await page.evaluate(() => [window.early, window.given]);
const answer = await page.evaluate(async () => {
  const first = await window.report('hello', { deep: [1, null] });
  const second = await window.report('again');
  return [first, second, await window.where()];
});
await page.goto('{{same}}/article');
const survives = await page.evaluate(() => window.report('after a navigation').then(r => r.took));
await page.addScriptTag({ content: 'window.added = [1, 2, 3].length' });
await page.addStyleTag({ content: 'h1 { color: rgb(1, 2, 3) }' });
let thrown;
await page.exposeFunction('fails', () => { throw new Error('refused by the script'); });
try { await page.evaluate(() => window.fails()); } catch (error) { thrown = error.message.includes('refused by the script'); }
return {
  early, answer, survives, calls: calls.map(c => c[0]), thrown, added: await page.evaluate(() => window.added),
  color: await page.locator('h1').evaluate(h => getComputedStyle(h).color), given: await page.evaluate(() => window.given),
};
