await page.goto('{{same}}/board');
const asked = [];
const answer = dialog => { asked.push(dialog.message()); dialog.accept(); };
page.on('dialog', answer);
while (await page.getByRole('listitem').count() > 0) await page.getByRole('listitem').first().getByLabel('Delete').click();
page.off('dialog', answer);
return { asked, count: await page.getByRole('status').textContent() };
