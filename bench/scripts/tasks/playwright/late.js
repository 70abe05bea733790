await page.goto('{{same}}/slow');
await page.getByRole('button', { name: 'Start' }).click();
await page.locator('#added').waitFor();
await page.getByRole('button', { name: 'Under the veil' }).click();
await page.getByRole('button', { name: 'Now' }).click();
await page.locator('#mover').click();
return { said: await page.locator('#said').textContent(), late: await page.locator('#late').isVisible(), leaves: await page.locator('#leaves').count() };
