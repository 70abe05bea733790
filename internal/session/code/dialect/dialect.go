// Package dialect tells code for Puppeteer from code for Playwright.
package dialect

import "regexp"

// Where Playwright and Puppeteer give the same name to different things, code gets what its other names say: that of Puppeteer, if
// it uses what only Puppeteer has and nothing that only Playwright has.
var (
	onlyPuppeteer = regexp.MustCompile(`\.(setViewport|waitForNetworkIdle|waitForFileChooser|setRequestInterception|evaluateOnNewDocument|createCDPSession|` +
		`remoteObject|waitForFrame|browserContext|emulateMediaType|emulateTimezone|setCookie|deleteCookie|waitHandle|uploadFile|sendCharacter|` +
		`isIntersectingViewport|\$x|setUserAgent|waitForTarget|setOfflineMode|authenticate|boxModel|setTimeout|` +
		`target|toElement|touchStart|emulateVisionDeficiency|emulateNetworkConditions|setBypassServiceWorker|emulateCPUThrottling|overridePermissions|` +
		`removeScriptToEvaluateOnNewDocument|defaultBrowserContext)\(|['"\x60](workercreated|targetcreated|targetchanged)['"\x60]|\.accessibility\.snapshot\(|\bpuppeteer\b|` +
		`::-p-|networkidle[02]|page\.cookies\(|\.select\(|['"\x60](text|aria|xpath|pierce)/`)
	onlyPlaywright = regexp.MustCompile(`\.(getBy[A-Z]\w+|context\(\)|waitForURL|waitForLoadState|waitForEvent|selectOption|setInputFiles|pressSequentially|` +
		`frameLocator|addInitScript|exposeBinding|setViewportSize|emulateMedia|allTextContents|allInnerTexts|inputValue|waitForTimeout|` +
		`route|unroute|insertText|dragTo|evaluateAll|first|nth|last)\(|['"\x60]networkidle['"\x60]`)
)

// Puppeteer reports whether code is written for Puppeteer.
func Puppeteer(code string) bool {
	return onlyPuppeteer.MatchString(code) && !onlyPlaywright.MatchString(code)
}
