await page.goto('{{same}}/board');
for (const title of ['Buy ink', 'Call Ada', 'Sweep']) {
  await page.getByRole('button', { name: 'New task' }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Owner').selectOption('Linus');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}
return { count: await page.getByRole('status').textContent(), titles: await page.locator('.card b').allTextContents() };
