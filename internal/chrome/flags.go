package chrome

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// frameHeight is what a window's own tab strip and address bar take from its height, in CSS pixels: measured on Chromium 156, new
// headless mode, with --disable-infobars (each bar would take 56 more).
const frameHeight = 87

// alwaysSwitches are the switches of every launched browser. docs/decisions/2026-11-21-launch-flags.md gives the reason
// of each group and of what is left out.
var alwaysSwitches = [...]string{
	"--no-startup-window", // the first tab is made by a command: 100 ms faster

	// The page sees an ordinary browser.
	"--disable-blink-features=AutomationControlled",

	// No traffic, questions or bars of its own.
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--disable-quic",
	"--disable-default-apps",
	"--disable-component-extensions-with-background-pages",
	"--disable-client-side-phishing-detection",
	"--disable-domain-reliability",
	"--disable-field-trial-config",
	"--disable-search-engine-choice-screen",
	"--disable-infobars",
	"--hide-crash-restore-bubble",
	"--metrics-recording-only",
	"--no-pings",
	"--noerrdialogs",
	"--disable-breakpad",
	"--disable-crash-reporter",
	"--password-store=basic",
	"--use-mock-keychain",

	// Background tabs work like the one in front.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",

	// No prompt that CDP does not report is answered in the agent's place.
	"--disable-popup-blocking",
	"--disable-prompt-on-repost",
	"--disable-hang-monitor",
	"--disable-back-forward-cache", // a page restored from it reports neither its frames' contexts nor its loading
	"--allow-pre-commit-input",
}

// headlessSwitches make up for the missing desktop: a screen larger than the window, a mouse that hovers, no sound and no
// print preview.
var headlessSwitches = [...]string{
	"--headless=new",
	"--screen-info={1920x1080}",
	"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
	"--force-color-profile=srgb",
	"--mute-audio",
	"--disable-print-preview", // print() would open one that nobody sees or closes, and until then the page cannot be saved as PDF
}

// containedSwitches leave the proxy as the only way out; docs/decisions/2026-11-23-allowed-domains.md has the reason of each.
var containedSwitches = [...]string{
	"--proxy-bypass-list=<-loopback>", // by default loopback addresses are reached directly
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", // its name in older versions
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
}

// disabledFeatures are switched off together: Chromium uses only the last --disable-features. The two Omnibox popups
// are pages of the address bar that every browser keeps ready in a renderer of their own: 47 of 196 MB for a small page
// (measured on Chromium 156), and no one types there. RenderDocument gives every page a new frame in its renderer even
// where the site stays the same: opening one takes 50 ms instead of 59 without it (same measurement).
// DeferRendererTasksAfterInput holds back what a page does after a click (timers, messages) until the next frame, up to
// 16 ms away, and delays every wait for it: a click that reports its changes takes 9 ms instead of 17.
const disabledFeatures = "Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,GlobalMediaControls,HttpsUpgrades," +
	"CalculateNativeWinOcclusion,RenderDocument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,DeferRendererTasksAfterInput"

// webMCPFeatures give pages document.modelContext, and CDP the domain for it. Chromium 156 needs the first only, earlier
// versions the others.
const webMCPFeatures = "WebMCP,WebMCPTesting,DevToolsWebMCPSupport"

// switches returns the whole command line without the pipe's.
func switches(o Options, profile, userAgent string) []string {
	args := slices.Clone(alwaysSwitches[:])
	if o.Copy != nil { // its cookies are encrypted with the key of the user's own store
		args = slices.DeleteFunc(args, func(a string) bool { return a == "--password-store=basic" || a == "--use-mock-keychain" })
		args = append(args, "--profile-directory="+o.Copy.Directory)
	}
	args = append(args, "--user-data-dir="+profile)
	size := o.WindowSize
	if size == (Size{}) {
		size = Size{DefaultViewport.Width, DefaultViewport.Height + frameHeight}
	}
	args = append(args, fmt.Sprintf("--window-size=%d,%d", size.Width, size.Height))
	if !o.Headed {
		args = append(args, headlessSwitches[:]...)
	}
	for _, opt := range []struct {
		on  bool
		arg string
	}{
		{o.DebugPort != "", "--remote-debugging-port=" + o.DebugPort},
		{userAgent != "", "--user-agent=" + userAgent},
		{o.Proxy != "", "--proxy-server=" + o.Proxy},
		{o.ProxyBypass != "", "--proxy-bypass-list=" + o.ProxyBypass},
		{o.IgnoreHTTPSErrors, "--ignore-certificate-errors"},
		{o.AllowFileAccess, "--allow-file-access-from-files"},
		{o.AllowFileAccess, "--allow-file-access"},
		{o.HideScrollbars, "--hide-scrollbars"},
		{o.WebGPU, "--enable-unsafe-webgpu"},                           // its adapters of last resort; enough for SwiftShader on Chromium 156
		{len(o.Extensions) > 0, "--enable-unsafe-extension-debugging"}, // Chrome has Extensions.loadUnpacked with it only
		{runtime.GOOS == "linux" && os.Geteuid() == 0, "--no-sandbox"}, // Chromium refuses to run as root with it
		{smallSharedMemory(), "--disable-dev-shm-usage"},
	} {
		if opt.on {
			args = append(args, opt.arg)
		}
	}
	given := o.Args
	if !o.NoWebMCP {
		given = append(slices.Clone(given), "--enable-features="+webMCPFeatures)
	}
	args = append(args, joinFeatures(given)...)
	if o.Contained { // last, because the last switch of a name applies
		args = append(args, "--proxy-server="+o.Proxy)
		args = append(args, containedSwitches[:]...)
	}
	return args
}

// joinFeatures adds our disabled features to the caller's switches and joins several lists into one.
func joinFeatures(args []string) []string {
	off, on := []string{disabledFeatures}, []string(nil)
	var rest []string
	for _, a := range args {
		if list, ok := strings.CutPrefix(a, "--disable-features="); ok {
			off = append(off, list)
		} else if list, ok := strings.CutPrefix(a, "--enable-features="); ok {
			on = append(on, list)
		} else {
			rest = append(rest, a)
		}
	}
	features := []string{"--disable-features=" + strings.Join(off, ",")}
	if on != nil {
		features = append(features, "--enable-features="+strings.Join(on, ","))
	}
	return append(features, rest...)
}

// checkArgs refuses the switches that would take the browser out of our hands.
func checkArgs(args []string) error {
	for _, a := range args {
		switch name, _ := cutSwitch(a); name {
		case "user-data-dir":
			return fmt.Errorf("launch with %s: name the profile directory with --profile, so that it can be watched and cleaned", a)
		case "remote-debugging-pipe", "remote-debugging-io-pipes":
			return fmt.Errorf("launch with %s: usher uses the browser's pipe; for other programs use --cdp-port", a)
		case "version", "product-version", "help":
			return fmt.Errorf("launch with %s: the browser would print and exit", a)
		}
	}
	return nil
}
