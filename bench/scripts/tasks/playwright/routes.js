await page.goto('{{same}}/app');
await page.getByRole('link', { name: 'Orders' }).click();
await page.waitForURL('**/app/orders');
const states = await page.getByRole('listitem').filter({ hasText: 'Order' }).first().waitFor().then(() => page.getByRole('listitem').allTextContents());
const customers = [];
for (const id of [2, 5, 8]) {
  await page.getByRole('link', { name: 'Order ' + id }).click();
  await page.getByRole('heading', { name: 'Order ' + id }).waitFor();
  customers.push(await page.getByTestId('customer').textContent());
  await page.getByRole('link', { name: 'All orders' }).click();
}
return { states, customers };
