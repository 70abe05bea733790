package dialect_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/session/code/dialect"
)

func TestPuppeteer(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"await page.goto('https://a.example'); return await page.title()": false,
		"await page.setViewport({width: 1, height: 1})":                   true,
		"const c = await page.createCDPSession()":                         true,
		"await page.$('::-p-text(Save)')":                                 true,
		"await page.locator('#a').setTimeout(10).click()":                 true,
		"const client = await page.target().createCDPSession()":           true,
		"return e.target": false,
		"page.on('workercreated', (worker) => console.log(worker.url()))":       true,
		"return await page.accessibility.snapshot()":                            true,
		"// from a script for puppeteer\nawait page.click('a')":                 true,
		"await page.getByRole('button').click()":                                false,
		"await page.setViewport(size); await page.getByText('x').click()":       false,
		"await page.goto(url, {waitUntil: 'networkidle2'})":                     true,
		"await page.waitForLoadState('networkidle'); await page.setViewport(s)": false,
		"setTimeout(() => {}, 10)":                                              false,
	} {
		if dialect.Puppeteer(code) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
}
