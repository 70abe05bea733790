// A modal: refuse an empty title, save, cancel, Escape; delete with a confirmation.
await page.goto('{{same}}/board');
const dialog = page.getByRole('dialog', { name: 'New task' });
const hiddenAtFirst = await dialog.isHidden();
await page.getByRole('button', { name: 'New task' }).click();
await dialog.waitFor();
await dialog.getByRole('button', { name: 'Save' }).click();
const problem = await dialog.getByRole('alert').textContent();
await dialog.getByLabel('Title').fill('Buy ink');
await dialog.getByLabel('Owner').selectOption('Grace');
await dialog.getByRole('button', { name: 'Save' }).click();
await dialog.waitFor({ state: 'hidden' });
const added = await page.getByTestId('todo').getByRole('listitem').last().locator('b').textContent();

await page.getByRole('button', { name: 'New task' }).click();
await page.keyboard.press('Escape');
await dialog.waitFor({ state: 'hidden' });
await page.getByRole('button', { name: 'New task' }).click();
await dialog.getByText('Cancel').click();
const visible = await dialog.isVisible();

const asked = [];
page.on('dialog', async d => { asked.push([d.type(), d.message()]); await (asked.length === 1 ? d.dismiss() : d.accept()); });
const card = page.getByRole('listitem').filter({ hasText: 'Order paper' });
await card.getByLabel('Delete').click();
const kept = await card.count();
await card.getByLabel('Delete').click();
return { hiddenAtFirst, problem, added, visible, asked, kept, left: await card.count(), status: await page.getByRole('status').textContent(), titles: await page.locator('.card b').allTextContents() };
