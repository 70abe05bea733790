// Drag cards, hover menus, find by title and alternative text, shadow roots.
await page.setViewportSize({ width: 1000, height: 700 });
await page.goto('{{same}}/board');
const column = name => page.getByRole('list', { name }).locator('.card b');
await page.locator('.card', { hasText: 'Fix the printer' }).dragTo(page.getByTestId('doing'));
await page.dragAndDrop('#card-order-paper', '#done');
const board = { todo: await column('To do').allTextContents(), doing: await column('Doing').allTextContents(), done: await column('Done').allTextContents() };
const status = await page.getByRole('status').textContent();

await page.goto('{{same}}/menu');
const print = page.getByRole('menuitem', { name: 'Print' });
const shown = [await print.isVisible()];
await page.locator('#file').hover();
shown.push(await print.isVisible());
await print.click();
const chosen = await page.locator('#said').textContent();
const tip = await page.getByTitle('More about').getAttribute('title');

await page.goto('{{same}}/gallery');
await page.getByAltText('A blue cup').click();
const picture = await page.locator('#said').textContent();
await page.getByLabel('4 for Cup').click();
const stars = await page.locator('star-rating').last().locator('.star').allTextContents();
const rated = await page.getByText('Cup: 4').isVisible();
const figure = await page.locator('figure', { has: page.getByAltText('A tea tray') }).getAttribute('title');
return { board, status, shown, chosen, tip, picture, stars, rated, figure, buttons: await page.getByRole('button').count() };
