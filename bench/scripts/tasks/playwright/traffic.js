await page.goto('{{same}}/diagnostics');
const bodies = [];
for (const [id, path] of [['#good', '**/api/orders/7'], ['#post', '**/api/echo'], ['#missing', '**/api/nothing']]) {
  const [response] = await Promise.all([page.waitForResponse(path), page.click(id)]);
  bodies.push([response.status(), (await response.text()).trim().slice(0, 40)]);
}
await page.locator('#burst').click();
await page.locator('#out').getByText('done').waitFor();
return { bodies, lines: (await page.locator('#out').textContent()).trim().split('\n').length };
