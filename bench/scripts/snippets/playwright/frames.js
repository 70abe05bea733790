// A payment form in a frame of another site.
await page.goto('{{same}}/checkout');
const card = page.frameLocator('iframe[title="Card payment"]');
await card.getByLabel('Card number').fill('4242');
await card.getByRole('button', { name: /^Pay/ }).click();
const problem = await card.getByRole('alert').textContent();
await card.getByLabel('Card number').fill('');
await card.getByLabel('Card number').pressSequentially('4242424242424242');
await card.getByPlaceholder('MM/YY').fill('12/30');
await card.getByLabel('CVC').fill('123');
const typed = await card.locator('#number').inputValue();
await card.getByRole('button', { name: 'Pay 33.50' }).click();
await page.getByText('Paid with').waitFor();
const frames = page.frames().map(f => [f.name(), f.url(), f.parentFrame() === page.mainFrame()]);
const inner = page.frame({ url: /\/card$/ });
const notice = await page.locator('#notice').contentFrame().locator('#text').innerText();
return {
  problem, typed, state: await page.locator('#state').textContent(), frames, notice,
  title: await inner.title(), origin: await inner.evaluate(() => location.origin),
  disabled: await card.getByRole('button').isDisabled(), inMain: await page.getByLabel('CVC').count(), detached: inner.isDetached(),
  total: await page.locator('#cart tr').last().locator('td').textContent(),
};
