await page.goto('{{same}}/checkout');
const card = page.frameLocator('#card');
await card.getByLabel('Card number').fill('4242424242424242');
await card.getByLabel('Expiry').fill('12/30');
await card.getByLabel('CVC').fill('123');
await card.getByRole('button').click();
await page.getByText('Paid with').waitFor();
return page.locator('#state').textContent();
