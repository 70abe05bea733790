// What a page logs, throws and requests.
const logs = [], errors = [], traffic = [];
const path = r => new URL(r.url()).pathname;
page.on('console', m => { if (!m.text().startsWith('Failed to load')) logs.push([m.type().slice(0, 4), m.text(), m.args().length]); });
page.on('pageerror', e => errors.push([e.name, e.message.split('\n')[0]]));
page.on('request', r => traffic.push(['request', r.method(), path(r), r.resourceType()]));
page.on('response', r => traffic.push(['response', r.status(), path(r)]));
page.on('requestfinished', r => traffic.push(['finished', path(r)]));
const main = await page.goto('{{same}}/diagnostics', { waitUntil: 'networkidle0' });
const loaded = traffic.filter(t => t[0] === 'request').map(t => t.slice(2)).sort();
traffic.length = 0;
await page.click('#log');
await page.click('#throw');
await page.click('#reject');
const [request] = await Promise.all([page.waitForRequest(r => r.url().endsWith('/api/echo')), page.click('#post')]);
await page.waitForFunction(() => document.querySelector('#out').textContent.includes('POST'));
const [missing] = await Promise.all([page.waitForResponse('{{same}}/api/nothing'), page.click('#missing')]);
await page.waitForNetworkIdle({ idleTime: 100 });
const domContent = [];
page.once('domcontentloaded', () => domContent.push('domcontentloaded'));
page.once('load', () => domContent.push('load'));
page.on('framenavigated', f => domContent.push('framenavigated ' + new URL(f.url()).pathname));
await page.goto('{{same}}/article', { waitUntil: 'load' });
return {
  status: main.status(), url: main.url(), ok: main.ok(), loaded, logs, errors, missing: [missing.status(), missing.ok()],
  traffic: traffic.filter(t => t[t.length - 1] !== '/article' && t[2] !== '/article'), domContent,
  post: { data: request.postData(), kind: request.headers()['x-kind'], has: request.hasPostData(), frame: request.frame() === page.mainFrame(), navigation: request.isNavigationRequest() },
};
