// Native dialogs: types, messages, defaults, answers.
await page.goto('{{same}}/windows');
const seen = [];
page.on('dialog', async dialog => {
  seen.push({ type: dialog.type(), message: dialog.message(), value: dialog.defaultValue() });
  if (dialog.type() === 'prompt') await dialog.accept('Ada');
  else if (dialog.message() === 'Really?') await dialog.dismiss();
  else await dialog.accept();
});
await page.locator('#alert').click();
await page.locator('#confirm').click();
await page.locator('#prompt').click();
await page.locator('#three').click();
const answers = await page.locator('#answers li').allTextContents();
page.removeAllListeners('dialog');
page.once('dialog', d => d.dismiss());
await page.locator('#prompt').click();
const value = await Promise.all([
  page.waitForEvent('dialog').then(async d => { const text = d.message(); await d.accept(); return text; }),
  page.evaluate(() => confirm('From the script')),
]);
return { seen, answers, last: await page.locator('#answers li').last().textContent(), value };
