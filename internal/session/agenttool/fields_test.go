package agenttool_test

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
)

var update = flag.Bool("update", false, "write the golden file")

// field is a member of the details: a call that makes it appear, and one that must not.
type field struct {
	name, page, with string
	withoutPage      string // "" for the same page
	without          string
}

const anything = `{"args":["get","title"]}`

var fields = []field{
	{"args", "/plain", anything, "", `{"qa":{"attached":true}}`},
	{"effectiveArgs", "/plain", anything, "", `{"args":[]}`},
	{"command", "/plain", anything, "", `{"args":[]}`},
	{"subcommand", "/plain", anything, "", `{"args":["back"]}`},
	{"compiledSemanticAction", "/plain", `{"semanticAction":{"action":"click","locator":"text","value":"Go"}}`, "", anything},
	{"compiledJob", "/plain", `{"job":{"steps":[{"action":"snapshot"}]}}`, "", anything},
	{"compiledQaPreset", "/plain", `{"qa":{"attached":true}}`, "", anything},
	{"compiledSourceLookup", "/plain", `{"sourceLookup":{"selector":"button"}}`, "", anything},
	{"compiledNetworkSourceLookup", "/plain", `{"networkSourceLookup":{"url":"/none"}}`, "", anything},
	{"compiledElectron", "/plain", `{"electron":{"action":"list","query":"no such app"}}`, "", anything},
	{"successCategory", "/plain", anything, "", `{"args":["click","#no"]}`},
	{"failureCategory", "/plain", `{"args":["click","#no"]}`, "", anything},
	{"error", "/plain", `{"args":["click","#no"]}`, "", anything},
	{"errorCode", "/plain", `{"args":["click","#no"]}`, "", anything},
	{"validationError", "/plain", `{"args":["title"]}`, "", anything},
	{"invalidValueFlag", "/plain", `{"args":["snapshot","--timeout"]}`, "", anything},
	{"timedOut", "/plain", `{"args":["wait","9000"],"timeoutMs":300}`, "", `{"args":["wait","#no","--timeout","100"]}`},
	{"timeoutMs", "/plain", `{"args":["wait","9000"],"timeoutMs":300}`, "", anything},
	{"inspection", "/plain", `{"args":["click","--help"]}`, "", anything},
	{"data", "/plain", anything, "", `{"args":["title"]}`},
	{"sessionMode", "/plain", anything, "", `{"args":["--session","mine","session","info"]}`},
	{"sessionName", "/plain", anything, "", `{"args":["skills","list"]}`},
	{"usedImplicitSession", "/plain", anything, "", `{"args":["--session","mine","session","info"]}`},
	{"managedSessionOutcome", "/plain", anything, "", `{"args":["--session","mine","session","info"]}`},
	{"sessionRecoveryHint", "/plain", `{"args":["--user-agent","x","--proxy","http://127.0.0.1:1","get","title"]}`, "", anything},
	{"sessionTabTarget", "/plain", anything, "", `{"args":["skills","list"]}`},
	{"refSnapshot", "/next", `{"args":["snapshot","-i"]}`, "", `{"args":["snapshot","-i"]}`},
	{"refSnapshotRevision", "/plain", anything, "", `{"args":["title"]}`},
	{"refIds", "/plain", `{"args":["click","@e9999"]}`, "", anything},
	{"pageChangeSummary", "/plain", `{"args":["click","text=Go"]}`, "", anything},
	{"navigationSummary", "/plain", `{"args":["click","text=Next"]}`, "/plain", `{"args":["click","text=Go"]}`},
	{"batchSteps", "/plain", `{"args":["batch"],"stdin":"[[\"get\",\"title\"]]"}`, "", anything},
	{"batchFailure", "/plain", `{"args":["batch"],"stdin":"[[\"get\",\"title\"],[\"click\",\"#no\"]]"}`, "", `{"args":["batch"],"stdin":"[[\"get\",\"title\"]]"}`},
	{"artifacts", "/plain", `{"args":["screenshot","f.png"]}`, "", anything},
	{"artifactVerification", "/plain", `{"args":["screenshot","f.png"]}`, "", anything},
	{"artifactManifest", "/plain", `{"args":["screenshot","f.png"]}`, "", anything},
	{"artifactManifestRevision", "/plain", anything, "", `{"args":["title"]}`},
	{"artifactRetentionSummary", "/plain", `{"args":["screenshot","f.png"]}`, "", anything},
	{"savedFile", "/plain", `{"args":["pdf","f.pdf"]}`, "", `{"args":["screenshot","f.png"]}`},
	{"savedFilePath", "/plain", `{"args":["pdf","f.pdf"]}`, "", `{"args":["screenshot","f.png"]}`},
	{"imagePath", "/plain", `{"args":["screenshot","f.png"]}`, "", `{"args":["pdf","f.pdf"]}`},
	{"imagePaths", "/plain", `{"args":["screenshot","f.png"]}`, "", `{"args":["pdf","f.pdf"]}`},
	{"fullOutputPath", "/big", `{"args":["snapshot","-i"]}`, "/plain", `{"args":["snapshot","-i"]}`},
	{"fullOutputPaths", "/big", `{"args":["snapshot","-i"]}`, "/plain", `{"args":["snapshot","-i"]}`},
	{"outputFile", "/plain", `{"args":["get","title"],"outputPath":"title.txt"}`, "", anything},
	{"downloadRecovery", "/files", `{"args":["download","#shown","shown.txt","--timeout","500"]}`, "", `{"args":["download","#saved","saved.txt"]}`},
	{"clickDispatch", "/deaf", `{"args":["click","button"]}`, "/plain", `{"args":["click","text=Go"]}`},
	{"overlayBlockers", "/covered", `{"args":["click","#buy"]}`, "/plain", `{"args":["click","text=Go"]}`},
	{"visibleRefFallback", "/icon", `{"args":["find","text","Save changes","click"]}`, "", `{"args":["find","text","nothing at all","click"]}`},
	{"richInputRecovery", "/icon", `{"args":["find","placeholder","Search docs","fill","x"]}`, "", `{"args":["find","text","Save changes","click"]}`},
	{"fillVerification", "/upper", `{"args":["fill","#name","ada"]}`, "", `{"args":["fill","#name","ADA"]}`},
	{"scrollNoop", "/short", `{"args":["scroll","down","900"]}`, "/big", `{"args":["scroll","down","300"]}`},
	{"comboboxFocus", "/combo", `{"args":["click","[role=combobox]"]}`, "/plain", `{"args":["click","text=Go"]}`},
	{"selectorTextVisibility", "/tabs", `{"args":["get","text",".panel"]}`, "", `{"args":["get","text",".one"]}`},
	{"selectorTextVisibilityAll", "/tabs", `{"args":["batch"],"stdin":"[[\"get\",\"text\",\".panel\"],[\"get\",\"text\",\"div\"]]"}`, "", `{"args":["get","text",".panel"]}`},
	{"evalStdinHint", "/plain", `{"args":["eval","--stdin"],"stdin":"() => ({a: 1})"}`, "", `{"args":["eval","--stdin"],"stdin":"({})"}`},
	{"timeoutPartialProgress", "/plain", `{"args":["batch"],"stdin":"[[\"get\",\"title\"],[\"wait\",\"9000\"],[\"get\",\"url\"]]","timeoutMs":600}`, "", `{"args":["wait","#no","--timeout","100"]}`},
	{"snapshotFilter", "/plain", `{"args":["snapshot","-i","--filter","role=button"]}`, "", `{"args":["snapshot","-i"]}`},
	{"snapshotViewport", "/big", `{"args":["snapshot","-i","--viewport"]}`, "", `{"args":["snapshot","-i"]}`},
	{"networkRequestsPageFilter", "/plain", `{"args":["network","requests","--current-url"]}`, "", `{"args":["network","requests"]}`},
	{"qaPreset", "/good", `{"qa":{"attached":true,"expectedText":"Hello there"}}`, "", anything},
	{"qaAttachedTarget", "/good", `{"qa":{"attached":true}}`, "", `{"qa":{"url":"BASE/good"}}`},
	{"electron", "/plain", `{"electron":{"action":"list","query":"no such app"}}`, "", anything},
	{"sourceLookup", "/plain", `{"sourceLookup":{"selector":"button"}}`, "", anything},
	{"networkSourceLookup", "/plain", `{"networkSourceLookup":{"url":"/none"}}`, "", anything},
	{"scriptRun", "/plain", `{"script":"return 1"}`, "", anything},
	{"scriptSteps", "/plain", `{"script":"return (await browser({args: ['open', 'BASE/next']})).ok"}`, "", anything},
	{"scriptSession", "/plain", `{"script":"return 1"}`, "", anything},
	{"nextActions", "/plain", `{"args":["click","text=Go"]}`, "", anything},
}

// withoutCall are the fields that other tests, or no call, have.
var withoutCall = map[string]string{
	"success": "every test", "resultCategory": "every test", "namespace": "TestNamespace", "closeAllApplied": "TestConnected", "artifactCleanup": "TestGuardsOnPages",
	"promptGuard": "TestGuardsOnPages", "refSnapshotInvalidation": "TestTabGone", "warning": "what the command itself warns of", "summary": "TestModes, scripts", "stdout": "long texts are in fullOutputPath",
	"fullOutputUnavailable": "a full disk", "evalResultWarning": "TestFilePage", "recordingDependencyWarning": "never: recordings need no other program",
	"networkRouteDiagnostics": "TestEveryAction", "sessionTabCorrection": "TestEveryAction", "aboutBlankSessionMismatch": "TestEveryAction", "electronPostCommandHealth": "TestApps", "electronRefFreshness": "TestApps",
	"electronGetTextScopeWarning": "TestApps", "electronGetTextScopeWarnings": "TestApps", "electronSessionMismatch": "TestReattach",
}

// varying is what differs between runs.
var varying = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "BASE"}, {regexp.MustCompile(`/tmp/[^"\s]*?/(\d{3})/`), "DIR/"}, {regexp.MustCompile(`agent-[0-9a-z]+-[0-9a-f]{12}-[0-9a-f]{8}(-fresh-[0-9a-f]{10})?`), "SESSION"},
	{regexp.MustCompile(`/tmp/TestFields\d+/\d{3}`), "DIR"}, {regexp.MustCompile(`"(platform)":"\w+"`), `"$1":"OS"`}, {regexp.MustCompile(`"(matchedRows|totalRows)":\d+`), `"$1":0`},
	{regexp.MustCompile(`agent-script-[a-z0-9]+`), "SCRIPT"}, {regexp.MustCompile(`,"tookMs":[\d.]+`), ""}, {regexp.MustCompile(`"(sizeBytes|updatedAtMs|createdAtMs|timestamp|duration|size|bytes|innerHeight|innerWidth|documentHeight|documentWidth|scrollableCount)":[\d.]+`), `"$1":0`},
	{regexp.MustCompile(`(snapshot|output)-[0-9a-f]{12}`), "$1-SUM"}, {regexp.MustCompile(`\be\d+\b`), "eN"}, {regexp.MustCompile(`(Revision":|evision )\d+`), "${1}0"},
	{regexp.MustCompile(`\b\d+ (files|live)\b`), "N $1"}, {regexp.MustCompile(`"(liveCount|refSnapshotRevision)":\d+`), `"$1":0`},
}

// TestFields: each member of the details appears in a real call, with the value of the golden file, and is absent from another.
func TestFields(t *testing.T) {
	c := newCaller(t)
	var golden strings.Builder
	for _, f := range fields {
		c.args("open", c.base+f.page).ok()
		got := c.call(f.with)
		value := dump(got.raw[f.name])
		if got.raw[f.name] == nil {
			t.Errorf("%s: %s does not have it: %s\n%s", f.name, f.with, got.Text(), dump(got.raw))
		}
		for _, v := range varying {
			value = v.from.ReplaceAllString(value, v.to)
		}
		if len(value) > 1200 {
			value = value[:1200] + "…"
		}
		golden.WriteString("-- " + f.name + " --\n" + f.page + " " + f.with + "\n" + value + "\n")
		if f.withoutPage != "" {
			c.args("open", c.base+f.withoutPage).ok()
		}
		if got := c.call(f.without); got.raw[f.name] != nil {
			t.Errorf("%s: %s has it: %s", f.name, f.without, dump(got.raw[f.name]))
		}
	}
	const path = "testdata/fields.txt"
	if *update {
		if err := os.WriteFile(path, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have, lines := strings.Split(golden.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(have), len(lines)) {
		if have[i] != lines[i] {
			t.Errorf("%s, line %d:\nhave %s\nwant %s\nrun with -update and look at the difference", path, i+1, have[i], lines[i])
		}
	}
}

// TestFieldsAreComplete: the table has every member of the details.
func TestFieldsAreComplete(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[result.Details]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if withoutCall[name] == "" && !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			t.Errorf("no call shows %s", name)
		}
	}
}
