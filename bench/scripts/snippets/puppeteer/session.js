// Cookies, headers, user agent, viewport, a CDP session.
await page.setViewport({ width: 640, height: 480, deviceScaleFactor: 2, hasTouch: true });
await page.setUserAgent('Tester/1.0');
await page.setExtraHTTPHeaders({ 'X-Team': 'tea' });
await page.goto('{{same}}/article');
await page.setCookie({ name: 'a', value: '1' }, { name: 'b', value: 'two', httpOnly: true, sameSite: 'Strict' });
const cookies = (await page.cookies()).map(c => [c.name, c.value, c.httpOnly, c.session]).sort();
const visible = await page.evaluate(() => document.cookie);
const echo = await page.evaluate(async () => (await fetch('/api/echo')).json());
await page.deleteCookie({ name: 'a' });
const left = (await page.cookies()).map(c => c.name);
const screen = await page.evaluate(() => [innerWidth, innerHeight, devicePixelRatio, navigator.userAgent, 'ontouchstart' in window]);
const client = await page.createCDPSession();
const { result } = await client.send('Runtime.evaluate', { expression: '6 * 7', returnByValue: true });
await client.send('Page.enable');
const navigated = new Promise(resolve => client.once('Page.loadEventFired', resolve));
await page.goto('{{same}}/login');
await navigated;
const metrics = await client.send('Page.getLayoutMetrics');
let refused;
try { await client.send('Runtime.evaluate', {}); } catch (error) { refused = /Protocol error/.test(error.message) || error.message.length > 0; }
await client.detach();
await page.emulateMediaType('print');
const print = await page.evaluate(() => matchMedia('print').matches);
await page.emulateTimezone('Asia/Tokyo');
const zone = await page.evaluate(() => new Date(0).getHours());
return {
  cookies, visible, echo: { agent: echo.headers['user-agent'], team: echo.headers['x-team'], cookie: echo.headers.cookie.split('; ').sort() }, left, screen,
  cdp: [result.value, metrics.cssLayoutViewport.clientWidth], refused, print, zone, viewport: page.viewport(),
};
