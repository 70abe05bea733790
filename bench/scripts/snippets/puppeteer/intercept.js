// Answer, change and abort requests.
await page.setRequestInterception(true);
const seen = [], failed = [];
let mocked = true;
const handler = request => {
  const path = new URL(request.url()).pathname;
  if (request.resourceType() === 'image') return request.abort();
  if (path.startsWith('/api/orders/') && mocked) {
    seen.push([request.method(), path]);
    return request.respond({ status: 200, contentType: 'application/json', headers: { 'X-From': 'script' }, body: JSON.stringify({ id: 7, state: 'mocked' }) });
  }
  if (path === '/api/echo') return request.continue({ headers: { ...request.headers(), 'x-kind': 'changed' }, postData: '{"a":2}', method: 'POST' });
  if (path === '/api/nothing') return request.abort('connectionrefused');
  request.continue();
};
page.on('request', handler);
page.on('requestfailed', r => failed.push([new URL(r.url()).pathname, r.failure().errorText]));
await page.goto('{{same}}/diagnostics');
const drawn = await page.$eval('#picture', img => img.naturalWidth);
const out = text => page.waitForFunction(t => document.querySelector('#out').textContent.includes(t), {}, text);
await page.click('#good');
await out('mocked');
const header = await page.evaluate(async () => (await fetch('/api/orders/1')).headers.get('x-from'));
await page.click('#post');
await out('changed');
const echoed = await page.$eval('#out', e => JSON.parse(e.textContent.split('\n').at(-2).slice(4)));
mocked = false;
await page.click('#good');
await out('"state":"open"');
await page.click('#missing');
await out('TypeError');
page.off('request', handler);
await page.setRequestInterception(false);
await page.click('#missing');
await out('404');
return { seen, failed, drawn, header, echoed: [echoed.body, echoed.headers['x-kind']] };
