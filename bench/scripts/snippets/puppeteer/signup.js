// A form with validation: see the errors, mend them, send it.
await page.goto('{{same}}/signup');
const disabled = await page.$eval('#send', b => b.disabled);
await page.click('#terms');
await page.click('#send');
const errors = await page.$$eval('.error', all => all.map(e => e.textContent).filter(Boolean));
const focused = await page.evaluate(() => document.activeElement.id);

await page.locator('#name').fill('Grace Hopper');
await page.locator('#email').fill('ada@example.org');
await page.focus('#secret');
await page.waitForFunction(() => document.querySelector('#email-error').textContent.includes('already'));
await page.locator('#email').fill('grace@example.org');
await page.type('#secret', 'short');
await page.keyboard.press('Tab');
const short = await page.$eval('#secret-error', e => e.textContent);
await page.locator('#secret').fill('long enough');
const one = await page.select('#country', 'cz');
const many = await page.select('#topics', 'tips', 'events');
await page.click('input[value=team]');
await page.click('#letter');
await page.type('#notes', 'Two\nlines');
const state = await page.$eval('#form', f => ({ plan: f.plan.value, letter: f.letter.checked, terms: f.terms.checked, notes: f.notes.value, country: f.country.value }));
await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click('#send')]);
return { disabled, errors, focused, short, one, many, state, heading: await page.$eval('h1', h => h.textContent), sent: await page.$$eval('dd', all => all.map(dd => dd.textContent)) };
