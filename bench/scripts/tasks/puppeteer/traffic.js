await page.goto('{{same}}/diagnostics');
const bodies = [];
for (const [id, path] of [['#good', '/api/orders/7'], ['#post', '/api/echo'], ['#missing', '/api/nothing']]) {
  const [response] = await Promise.all([page.waitForResponse(r => r.url().endsWith(path)), page.click(id)]);
  bodies.push([response.status(), (await response.text()).trim().slice(0, 40)]);
}
await page.click('#burst');
await page.waitForFunction(() => document.querySelector('#out').textContent.includes('done'));
return { bodies, lines: (await page.$eval('#out', e => e.textContent)).trim().split('\n').length };
