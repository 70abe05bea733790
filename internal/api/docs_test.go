package api

import "strings"

// errorsPage renders the table as docs/ERRORS.md.
func errorsPage() string {
	var b strings.Builder
	b.WriteString(`# Error codes

<!-- Written from the table in internal/api/codes.go by
     go test ./internal/api -run TestErrorsPage -update -->

With ` + "`--json`" + ` every failure is one object on standard output:

` + "```json" + `
{"success":false,"data":null,"error":"Unknown ref: e99. Run ` + "`snapshot -i`" + ` to see the refs of the page.","code":"unknown_ref"}
` + "```" + `

Match on ` + "`code`" + `: it is stable, the sentence is not. ` + "`data`" + ` is null or an object with particulars. Without
` + "`--json`" + ` the sentence goes to standard error after ` + "`✗ `" + `.

"Retry" marks failures after which the same command may succeed later with nothing done in between. The exit status is 1
for every failure except an interrupted command, which ends with 130 as shells expect.

| code | exit | retry | meaning | next step |
| --- | ---: | --- | --- | --- |
`)
	for _, info := range table {
		retry := "no"
		if info.Retryable {
			retry = "yes"
		}
		exit := "1"
		if info.Exit == exitInterrupted {
			exit = "130"
		}
		b.WriteString("| `" + string(info.Code) + "` | " + exit + " | " + retry + " | " + info.Meaning + " | " + info.Hint + " |\n")
	}
	return b.String()
}
