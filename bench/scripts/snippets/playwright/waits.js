// Auto-waiting, polling and time-outs.
await page.goto('{{same}}/slow');
const attempt = async run => {
  try { await run(); return 'no error'; } catch (error) { return [error.name, error instanceof Error]; }
};
await page.getByRole('button', { name: 'Start' }).click();
await page.getByRole('button', { name: 'Under the veil' }).click(); // once the veil is gone
const veiled = await page.locator('#said').textContent();
await page.locator('#enabled').click();
await page.locator('#mover').click();
const moved = await page.locator('#said').textContent();
await page.locator('#added').waitFor({ state: 'attached' });
await page.locator('#leaves').waitFor({ state: 'detached' });
await page.waitForFunction(n => Number(document.querySelector('#counter').textContent) >= n, 5);
const late = await page.locator('#late').isVisible();
let polls = 0;
while (await page.locator('#counter').textContent() !== '5' && polls < 50) { polls++; await page.waitForTimeout(20); }

const errors = {
  disabled: await attempt(() => page.locator('#never').click({ timeout: 300 })),
  missing: await attempt(() => page.getByText('No such words').waitFor({ timeout: 200 })),
  selector: await attempt(() => page.waitForSelector('#nowhere', { timeout: 200 })),
  url: await attempt(() => page.waitForURL('**/elsewhere', { timeout: 200 })),
  response: await attempt(() => page.waitForResponse('**/never', { timeout: 200 })),
  event: await attempt(() => page.waitForEvent('popup', { timeout: 200 })),
  function: await attempt(() => page.waitForFunction(() => false, undefined, { timeout: 200 })),
  strict: await attempt(() => page.locator('.twice').click({ timeout: 300 })),
  notInput: await attempt(() => page.locator('h1').fill('x', { timeout: 500 })),
};
const either = page.locator('#nowhere').or(page.locator('#late'));
const both = page.locator('p').and(page.locator('#added'));
page.setDefaultTimeout(150);
errors.byDefault = await attempt(() => page.locator('#nowhere').textContent());
const words = { either: await either.innerText(), both: await both.textContent(), twins: await page.locator('.twice').count(), hidden: await page.locator('#nowhere').isVisible() };
errors.navigation = await attempt(() => page.goto('http://127.0.0.1:9/'));
return { veiled, moved, late, polled: polls < 50, errors, words };
