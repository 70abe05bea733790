await page.goto('{{same}}/checkout');
const card = await (await page.waitForSelector('#card')).contentFrame();
await card.waitForSelector('#pay');
await card.type('#number', '4242424242424242');
await card.type('#expiry', '12/30');
await card.type('#cvc', '123');
await card.click('#pay');
await page.waitForFunction(() => document.querySelector('#state').textContent.startsWith('Paid'));
return page.$eval('#state', e => e.textContent);
