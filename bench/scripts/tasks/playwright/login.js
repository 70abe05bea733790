await page.goto('{{same}}/login');
await page.getByLabel('User name').fill('grace');
await page.getByLabel('Password').fill('tea');
await page.getByRole('button', { name: 'Sign in' }).click();
await page.waitForURL('**/account*');
const invoices = await page.getByRole('listitem').allTextContents();
return { welcome: await page.getByRole('heading').textContent(), plan: await page.getByTestId('plan').textContent(), invoices };
