// Answer, change and abort requests.
const seen = [];
await page.route('**/api/orders/*', async route => {
  seen.push(route.request().method() + ' ' + new URL(route.request().url()).pathname);
  await route.fulfill({ json: { id: 7, state: 'mocked', customer: 'Nobody', total: '0.00' } });
});
await page.route('**/*.png', route => route.abort());
await page.route(/api\/echo/, route => route.continue({ headers: { ...route.request().headers(), 'x-kind': 'changed' } }));
const failed = [];
page.on('requestfailed', r => failed.push([new URL(r.url()).pathname, r.failure().errorText]));
await page.goto('{{same}}/diagnostics');
const drawn = await page.getByAltText('One pixel').evaluate(img => img.naturalWidth);
await page.locator('#good').click();
await page.getByText('mocked').waitFor();
const out = page.locator('#out');
const mocked = JSON.parse((await out.textContent()).slice(4));
await page.locator('#post').click();
await out.getByText('changed').waitFor();

await page.unroute('**/api/orders/*');
await page.locator('#good').click();
await out.getByText('Bela').or(out.getByText('"state":"open"')).first().waitFor();
await page.route('**/api/nothing', async route => {
  const response = await route.fetch();
  await route.fulfill({ status: 200, contentType: 'text/plain', body: 'was ' + response.status() });
});
await page.locator('#missing').click();
await page.getByText('200 was 404').waitFor();
await page.route('**/api/orders/*', route => route.fulfill({ status: 503, body: 'down', headers: { 'Retry-After': '9' } }), { times: 1 });
const status = await page.evaluate(async () => { const r = await fetch('/api/orders/1'); return [r.status, r.headers.get('retry-after'), await r.text()]; });
const again = await page.evaluate(async () => (await fetch('/api/orders/1')).status);
return { seen, failed, drawn, mocked, status, again };
