await page.goto('{{same}}/slow');
await page.click('#start');
await page.waitForSelector('#added');
await page.waitForSelector('#veil', { hidden: true });
await page.click('#veiled');
await page.locator('#enabled').click();
await page.locator('#mover').click();
return { said: await page.$eval('#said', e => e.textContent), late: await (await page.$('#late')).isVisible(), leaves: (await page.$$('#leaves')).length };
