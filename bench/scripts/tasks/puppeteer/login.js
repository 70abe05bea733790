await page.goto('{{same}}/login');
await page.type('#user', 'grace');
await page.type('#password', 'tea');
await Promise.all([page.waitForNavigation(), page.click('#submit')]);
const invoices = await page.$$eval('li', all => all.map(li => li.textContent));
return { welcome: await page.$eval('h1', h => h.textContent), plan: await page.$eval('[data-testid=plan]', e => e.textContent), invoices };
