await page.goto('{{same}}/people');
const names = [];
for (let number = 1; number <= 5; number++) {
  await page.getByText(`Page ${number} of 5`).waitFor();
  names.push(...await page.locator('#people td:first-child').allTextContents());
  if (number < 5) await page.getByRole('button', { name: 'Next' }).click();
}
return names;
