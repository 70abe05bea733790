// Puppeteer's locators, and selectors by text, role and XPath.
await page.goto('{{same}}/slow');
const said = () => page.$eval('#said', e => e.textContent);
await page.locator('#start').click();
await page.waitForSelector('#veil', { hidden: true });
await page.locator('#enabled').setTimeout(2000).click(); // waits until it is enabled
const enabled = await said();
await page.locator('#mover').filter(b => b.offsetLeft > 60).click();
const moved = await said();
const late = await page.locator('#late').map(e => e.textContent).wait();
const handle = await page.locator('#added').waitHandle();
const added = await handle.evaluate(e => e.id);
await page.locator(() => document.querySelector('#counter')?.textContent === '5').wait();
const race = await page.locator('#nowhere').setTimeout(200).wait().then(() => 'found', e => e.name);
await page.goto('{{same}}/signup');
await page.locator('#name').fill('Ada');
await page.locator('#country').fill('dk');
await page.locator('#notes').fill('line');
await page.locator('::-p-aria(I accept the terms)').click();
await page.locator('::-p-text(Create account)').hover();
const form = await page.$eval('#form', f => [f.elements.name.value, f.country.value, f.notes.value, f.terms.checked, document.querySelector('#send').matches(':hover')]);
await page.goto('{{same}}/input');
await page.locator('#tall').scroll({ scrollTop: 300 });
const top = await page.$eval('#tall', e => e.scrollTop);
await page.goto('{{same}}/people');
const rows = await page.locator('#people tbody').wait().then(() => page.waitForSelector('#people tbody tr:nth-child(10)')).then(() => page.$$('#people tbody tr'));
return { enabled, moved, late, added, race, form, rows: rows.length, top };
