// Native dialogs: types, messages, defaults, answers.
await page.goto('{{same}}/windows');
const seen = [];
const handler = async dialog => {
  seen.push({ type: dialog.type(), message: dialog.message(), value: dialog.defaultValue() });
  if (dialog.type() === 'prompt') await dialog.accept('Ada');
  else if (dialog.message() === 'Really?') await dialog.dismiss();
  else await dialog.accept();
};
page.on('dialog', handler);
for (const id of ['alert', 'confirm', 'prompt', 'three']) await page.click('#' + id);
const answers = await page.$$eval('#answers li', all => all.map(li => li.textContent));
page.off('dialog', handler);
page.once('dialog', d => d.dismiss());
const refused = await page.evaluate(() => prompt('Another?', 'x'));
page.once('dialog', d => d.accept());
const accepted = await page.evaluate(() => confirm('From the script'));
page.on('dialog', d => { seen.push({ type: d.type(), message: d.message(), value: '' }); d.accept(); });
await page.evaluate(() => { addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'x'; }); });
await page.click('h1');
await page.goto('{{same}}/article');
return { seen, answers, refused, accepted, url: page.url() };
