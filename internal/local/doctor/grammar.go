package doctor

import "github.com/usher-browser/usher/internal/verb"

// Verb returns the grammar of the command.
func Verb() verb.Verb {
	return verb.Verb{Name: "doctor", Summary: "check the installation",
		Help: "--stealth tests instead what a page can detect of the browser, with and without --stealth: it launches both and opens a local\n" +
			"page that looks for automation. Each line was measured in that run; a warning is something a page could detect.\n\n" +
			"--webgpu also draws with WebGPU in a browser of its own, with a window if --headed is given, and looks at the pixels and at a\n" +
			"screenshot. Nothing is sent to other machines. The exit status is 1 if a check failed; warnings do not count.",
		Flags: []verb.Flag{{Name: "offline", Kind: verb.Bool, Doc: "skip checks that need the network"},
			{Name: "quick", Kind: verb.Bool, Doc: "do not start a browser"},
			{Name: "fix", Kind: verb.Bool, Doc: "fix what can be fixed without loss, and say what was done"}},
		Examples: []string{"doctor", "doctor --quick", "doctor --stealth", "doctor --webgpu", "doctor --webgpu --headed", "doctor --json"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local}
}
