await page.goto('{{same}}/article');
const headings = await page.getByRole('heading').allTextContents();
const cells = await page.getByRole('cell').allTextContents();
const links = await page.locator('footer a').evaluateAll(all => all.map(a => a.getAttribute('href')));
const author = await page.getByTestId('author').textContent();
let last = '';
for (let i = 90; i < 100; i++) last += await page.locator('footer a').nth(i).textContent() + ',';
return { headings, cells, links: links.length, author, last };
