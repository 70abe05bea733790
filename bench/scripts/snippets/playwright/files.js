// Uploads by path and from memory, the file chooser, downloads.
await page.goto('{{same}}/files');
const list = page.locator('#list li');
await page.getByLabel('Attachment').setInputFiles('notes.txt');
await list.first().waitFor();
const one = await list.allTextContents();
await page.getByLabel('Pictures').setInputFiles([
  { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') },
  { name: 'b.json', mimeType: 'application/json', buffer: Buffer.from('{"b":2}') },
]);
await list.filter({ hasText: 'b.json' }).waitFor();
const many = await list.allTextContents();
await page.getByLabel('Pictures').setInputFiles([]);
await page.getByText('no file').waitFor();

const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose a file' }).click()]);
const multiple = chooser.isMultiple();
await chooser.setFiles('data.json');
await page.getByText('data.json').waitFor();
const chosen = await list.allTextContents();

const waiting = page.waitForEvent('download');
await page.getByRole('link', { name: 'Export' }).click();
const download = await waiting;
await download.saveAs('saved.csv');
await page.getByLabel('Attachment').setInputFiles('saved.csv');
await page.getByText('saved.csv').waitFor();
const [made] = await Promise.all([page.waitForEvent('download'), page.locator('#made').click()]);
return {
  one, many, multiple, chosen, name: download.suggestedFilename(), url: download.url(), failure: await download.failure(),
  saved: await list.allTextContents(), made: made.suggestedFilename(), blob: made.url().startsWith('blob:'),
};
