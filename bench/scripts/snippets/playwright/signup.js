// A form with validation: see the errors, mend them, send it.
await page.goto('{{same}}/signup');
const send = page.getByRole('button', { name: 'Create account' });
const before = await send.isEnabled();
await page.getByLabel('I accept the terms').check();
await send.click();
const errors = (await page.locator('.error').allTextContents()).filter(Boolean);
const focused = await page.evaluate(() => document.activeElement.id);

await page.getByLabel('Full name').fill('Grace Hopper');
await page.getByLabel('E-mail').fill('ada@example.org');
await page.getByLabel('E-mail').blur();
await page.getByText('has an account already').waitFor();
await page.getByLabel('E-mail').fill('grace@example.org');
await page.getByPlaceholder('At least 8').fill('short');
await page.getByLabel('Full name').focus();
const short = await page.locator('#secret-error').textContent();
await page.getByPlaceholder('At least 8 characters').fill('long enough');
const byLabel = await page.getByLabel('Country').selectOption({ label: 'Belgium' });
const byIndex = await page.getByLabel('Country').selectOption({ index: 4 });
const byValue = await page.getByLabel('Country').selectOption('cz');
const many = await page.getByLabel('Topics').selectOption(['tips', 'events']);
await page.getByRole('radio', { name: 'Team' }).check();
await page.getByLabel('Newsletter').uncheck();
await page.getByLabel('Notes').fill('Two\nlines');
const state = {
  team: await page.getByLabel('Team').isChecked(), free: await page.getByLabel('Free').isChecked(),
  letter: await page.getByLabel('Newsletter').isChecked(), company: await page.getByLabel('Company').isDisabled(),
  name: await page.getByLabel('Full name').inputValue(), editable: await page.getByLabel('Notes').isEditable(),
  invalid: await page.locator('[aria-invalid=true]').evaluateAll(all => all.map(e => e.id)),
};
await send.click();
await page.waitForURL('**/signup');
await page.getByRole('heading', { name: 'Welcome, Grace' }).waitFor();
return { before, errors, focused, short, byLabel, byIndex, byValue, many, state, sent: await page.locator('dd').allTextContents() };
