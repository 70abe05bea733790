// A payment form in a frame of another site.
await page.goto('{{same}}/checkout', { waitUntil: 'networkidle0' });
const frame = page.frames().find(f => f.url().endsWith('/card'));
await frame.waitForSelector('#number');
await frame.type('#number', '4242');
await frame.click('#pay');
const problem = await frame.$eval('#problem', e => e.textContent);
await frame.type('#number', '424242424242');
const element = await page.$('#card');
const content = await element.contentFrame();
await content.type('#expiry', '12/30');
await (await content.$('#cvc')).type('123');
const typed = await frame.$eval('#number', e => e.value);
const waited = page.waitForFunction(() => document.querySelector('#state').textContent.startsWith('Paid'));
await frame.locator('#pay').click();
await waited;
const notice = await (await page.$('#notice')).contentFrame();
return {
  problem, typed, same: content === frame, state: await page.$eval('#state', e => e.textContent),
  urls: page.frames().map(f => f.url()), parents: page.frames().map(f => f.parentFrame() === page.mainFrame()), children: page.mainFrame().childFrames().length,
  title: await frame.title(), origin: await frame.evaluate(() => location.origin), notice: await notice.$eval('#text', e => e.innerText),
  inMain: (await page.$$('#cvc')).length, found: (await page.waitForFrame(f => f.url() === 'about:srcdoc')) === notice, detached: frame.detached,
};
