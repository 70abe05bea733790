await page.goto('{{same}}/signup');
await page.focus('#name');
for (const text of ['Grace', 'g@example.org', 'long enough']) {
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
}
await page.keyboard.press('d');
await page.keyboard.press('Tab');
await page.keyboard.press('Tab');
await page.keyboard.press('ArrowDown');
await page.keyboard.press('Tab');
await page.keyboard.type('Notes by key');
await page.keyboard.press('Tab');
await page.keyboard.press('Space');
return page.evaluate(() => { const f = document.querySelector('#form'); return [f.elements.name.value, f.email.value, f.secret.value, f.country.value, f.plan.value, f.notes.value, f.terms.checked]; });
