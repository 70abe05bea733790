await page.setViewportSize({ width: 1000, height: 700 });
await page.goto('{{same}}/board');
await page.locator('.card', { hasText: 'Order paper' }).dragTo(page.getByTestId('doing'));
await page.locator('.card', { hasText: 'Fix the printer' }).dragTo(page.getByTestId('done'));
return { count: await page.getByRole('status').textContent(), doing: await page.getByTestId('doing').locator('b').allTextContents() };
