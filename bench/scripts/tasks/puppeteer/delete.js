await page.goto('{{same}}/board');
const asked = [];
const answer = dialog => { asked.push(dialog.message()); dialog.accept(); };
page.on('dialog', answer);
for (let button; (button = await page.$('.card button'));) await button.click();
page.off('dialog', answer);
return { asked, count: await page.$eval('#count', e => e.textContent) };
