package verb

// The forms of commands that have several, as [Call.Form] returns them.
const (
	FormText     = "text"     // eval: the script is Str("script"); wait: Str("text") is awaited
	FormBase64   = "base64"   // the script is the decoded Str("base64")
	FormStdin    = "stdin"    // it comes on standard input
	FormSelector = "selector" // wait: Target("target") in Str("state")
	FormTime     = "time"     // wait: Dur("target")
	FormURL      = "url"
	FormLoad     = "load"
	FormFn       = "fn"
	FormDownload = "download" // wait: Str("download") is the path, or empty
)
