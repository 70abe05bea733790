// What a page logs, throws and requests.
const logs = [], errors = [], traffic = [];
page.on('console', m => { if (!m.text().startsWith('Failed to load')) logs.push([m.type(), m.text(), m.args().length]); });
page.on('pageerror', e => errors.push([e.name, e.message]));
page.on('request', r => traffic.push(['request', r.method(), new URL(r.url()).pathname, r.resourceType()]));
page.on('requestfinished', r => traffic.push(['finished', new URL(r.url()).pathname]));
page.on('response', r => traffic.push(['response', r.status(), new URL(r.url()).pathname]));
const main = await page.goto('{{same}}/diagnostics', { waitUntil: 'load' });
await page.waitForLoadState('networkidle');
const loaded = traffic.filter(t => t[0] === 'request').map(t => t.slice(2)).sort();
traffic.length = 0;

await page.click('#log');
await page.click('text=Throw');
await page.click('button:has-text("Reject")');
const posted = page.waitForRequest('**/api/echo');
await page.click('#post');
const request = await posted;
const response = await request.response();
await response.finished();
const missing = page.waitForResponse('**/api/nothing');
await page.click('#missing');
await (await missing).finished();
await page.locator('#out').getByText('404').waitFor();
return {
  status: main.status(), url: main.url(), loaded, logs, errors, traffic,
  post: { data: request.postData(), json: request.postDataJSON(), kind: request.headers()['x-kind'], echoed: JSON.parse((await response.json()).body), navigation: request.isNavigationRequest() },
};
