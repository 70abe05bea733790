// Log in with a wrong password, then with the right one.
await page.goto('{{same}}/login', { waitUntil: 'domcontentloaded' });
await page.type('#user', 'ada');
await page.type('#password', 'coffee');
await Promise.all([page.waitForNavigation(), page.click('#submit')]);
const refused = await page.$eval('[role=alert]', e => e.textContent);

await page.type('#user', 'ada');
await page.focus('#password');
await page.keyboard.type('tea');
await page.click('#remember');
const [response] = await Promise.all([page.waitForNavigation({ waitUntil: 'networkidle0' }), page.keyboard.press('Enter')]);
const welcome = await page.$eval('h1', h => h.textContent);
const cookie = (await page.cookies()).find(c => c.name === 'user');
const invoices = await page.$$eval('li', all => all.map(li => li.textContent));
await Promise.all([page.waitForNavigation(), page.click('#out')]);
return {
  refused, welcome, status: response.status(), chain: response.request().redirectChain().map(r => [r.method(), r.response().status()]),
  cookie: { value: cookie.value, httpOnly: cookie.httpOnly, sameSite: cookie.sameSite, session: cookie.session, path: cookie.path },
  left: (await page.cookies()).length, url: page.url(), title: await page.title(), invoices,
};
