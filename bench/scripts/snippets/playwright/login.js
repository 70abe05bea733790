// Log in with a wrong password, then with the right one.
await page.goto('{{same}}/login');
await page.getByLabel('User name').fill('ada');
await page.getByLabel('Password').fill('coffee');
await page.getByRole('button', { name: 'Sign in' }).click();
await page.waitForURL('**/login?error=*');
const refused = await page.getByRole('alert').innerText();

await page.getByLabel('User name').fill('ada');
await page.getByLabel('Password').fill('tea');
await page.getByLabel('Stay signed in').check();
await page.getByRole('button', { name: 'Sign in' }).click();
await page.waitForURL(/\/account/);
const welcome = await page.getByRole('heading', { level: 1 }).textContent();
const cookies = await page.context().cookies();
const user = cookies.find(c => c.name === 'user');

await page.getByRole('button', { name: 'Sign out' }).click();
await page.waitForURL('{{same}}/login');
return {
  refused, welcome,
  cookie: { value: user.value, httpOnly: user.httpOnly, sameSite: user.sameSite, lasts: user.expires > 0 },
  left: (await page.context().cookies()).length,
  url: page.url(), title: await page.title(),
};
