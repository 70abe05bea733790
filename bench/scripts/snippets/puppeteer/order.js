// Calls that are not awaited one by one are carried out in the order in which they were made.
await page.goto('{{same}}/windows');
await page.setContent('<input id="a"><input id="b">');
await page.focus('#a');
await page.evaluate(() => {
  window.seen = [];
  for (const type of ['keydown', 'keyup', 'mousedown', 'mouseup', 'click']) document.addEventListener(type, event => window.seen.push(type));
});
await Promise.all([page.mouse.move(10, 10), page.mouse.down(), page.mouse.up(), page.keyboard.down('q'), page.keyboard.up('q')]);
const seen = await page.evaluate(() => window.seen);
await Promise.all([1, 2, 3, 4, 5, 6].map(i => page.evaluate(i => { (window.list ||= []).push(i); }, i)));
const list = await page.evaluate(() => window.list);
const session = await page.createCDPSession();
await Promise.all([1, 2, 3, 4, 5, 6].map(i => session.send('Runtime.evaluate', { expression: `list.push(${i * 10})` })));
const sent = await page.evaluate(() => window.list.slice(6));
page.setViewport({ width: 500, height: 400 });
page.setViewport({ width: 600, height: 400 });
const width = await page.evaluate(() => innerWidth);
const answers = [];
const handler = dialog => dialog.accept();
for (let i = 0; i < 5; i++) {
  page.on('dialog', handler);
  page.off('dialog', handler);
  page.once('dialog', dialog => dialog.dismiss());
  answers.push(await page.evaluate(() => confirm('Really?')));
}
page.setCookie({ name: 'c', value: '1', url: '{{same}}' });
page.setCookie({ name: 'c', value: '2', url: '{{same}}' });
page.evaluateOnNewDocument(() => { window.init = 1; });
await page.goto('{{same}}/windows');
const left = await page.evaluate(() => [document.cookie, window.init]);
return { seen, list, sent, width, answers, left };
