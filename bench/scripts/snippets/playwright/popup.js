// Windows that a page opens.
await page.goto('{{same}}/windows');
const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Open a window' }).click()]);
await popup.waitForLoadState();
const title = await popup.title();
const opener = (await popup.opener()) === page;
const path = new URL(popup.url()).pathname;
const closed = popup.waitForEvent('close');
// The window closes itself during the click, and a click in a page that goes away may be refused.
await Promise.all([closed, popup.getByRole('button', { name: 'Large' }).click().catch(() => {})]);
const heading = await page.getByRole('heading').textContent();

const other = page.context().waitForEvent('page');
await page.getByText('Account in a new tab').click();
const tab = await other;
await tab.waitForURL('**/account*');
const welcome = await tab.locator('h1').textContent();
const open = page.context().pages().length;
await tab.close();
return { title, opener, path, heading, welcome, open, left: page.context().pages().length, popupClosed: popup.isClosed(), tabClosed: tab.isClosed(), pageClosed: page.isClosed() };
