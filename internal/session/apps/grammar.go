package apps

import (
	"github.com/usher-browser/usher/internal/browserhost/app"
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the commands about apps built on Electron.
func Grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "app", Summary: "apps built on Electron: find, launch and clean up"},
	}, Verbs: []verb.Verb{
		{Name: "app list", Summary: "list the installed apps that are built on Electron",
			Help: "Looks at desktop entries, AppImages, Flatpaks and snaps on Linux, at bundles on macOS, and at folders of programs on Windows. An\n" +
				"app is listed if Electron's resource packs and the code of an app are where Electron has them; AppImages are not examined.\n" +
				"Apps that usually show private content are marked. Nothing is started.",
			Args:     []verb.Arg{{Name: "query", Doc: "only those with this text in the name, an identifier or a path"}},
			Flags:    []verb.Flag{{Name: "limit", Kind: verb.Int, Value: "n", Min: 1, Max: 200, Default: "50", Doc: "how many"}},
			Examples: []string{"app list", "app list notes --json"}, Next: []string{"app launch <name>"},
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control},
		{Name: "app launch", Summary: "start an app built on Electron with a profile of its own, and use it", Check: launchRules,
			Also: func(*verb.Call) []string { return []string{"eval"} }, // it is any program
			Help: "The app is started with a new profile and a debugging port that the system chooses, and the session is connected to it. The app's\n" +
				"usual profile, and an instance that runs already, are left alone; so nobody is signed in. It goes on running, also when usher\n" +
				"ends, until `app cleanup`, which removes the profile. To use an app that runs already: connect.\n\n" +
				"--allow and --deny are texts to find in the app's name, identifier or path; --deny wins, and with --allow one must be found.",
			Args: []verb.Arg{{Name: "app", Required: true, Raw: true, Doc: "its name, or the path of its executable, folder, bundle or desktop entry"},
				{Name: "arguments", Variadic: true, Raw: true, Doc: "arguments for the app, after --"}},
			Flags: []verb.Flag{{Name: "by", Kind: verb.String, Value: "way", Default: "any", Choices: []string{"any", "name", "path", "bundle-id", "executable"}, Doc: "what <app> is"},
				{Name: "target-type", Kind: verb.String, Value: "type", Default: "page", Choices: []string{"page", "webview", "any"}, Doc: "which targets app status lists"},
				{Name: "allow", Kind: verb.String, Value: "text", Multi: verb.Repeat, Raw: true, Doc: "only an app with this; can be repeated"},
				{Name: "deny", Kind: verb.String, Value: "text", Multi: verb.Repeat, Raw: true, Doc: "no app with this; can be repeated"}},
			Examples: []string{"app launch Notes", "app launch /opt/notes/notes -- --lang=de", "app launch com.example.notes --by bundle-id"},
			Next:     []string{"snapshot -i", "app status", "app cleanup"},
			Group:    verb.GroupDebug, Category: verb.CatSession, Marks: verb.Starts | verb.InvalidatesRefs},
		{Name: "app status", Summary: "the apps that app launch started: process, debugging port, targets", Check: idOrAll,
			Args: []verb.Arg{{Name: "id", Doc: "of a launch; default: the only one"}}, Flags: []verb.Flag{all()},
			Examples: []string{"app status", "app status --all --json"}, Next: []string{"app cleanup"},
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control | verb.TellsPages},
		{Name: "app probe", Summary: "title, address, focus, tabs and the first lines of a snapshot of an app",
			Help:     "Without an id it looks at the browser of the session, with one at that of the session which is connected to the launched app.",
			Args:     []verb.Arg{{Name: "id", Doc: "of a launch"}},
			Examples: []string{"app probe"}, Next: []string{"snapshot -i"},
			Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.Control | verb.TellsPages},
		{Name: "app cleanup", Summary: "end an app that app launch started, and remove its profile", Check: idOrAll,
			Help: "Ends the sessions that are connected to it, its processes, and removes the profile that was made for it. Only processes that run on\n" +
				"this profile are ended. While one of them or the debugging port is left, the profile is kept; then repeat the command.",
			Args: []verb.Arg{{Name: "id", Doc: "of a launch; default: the only one"}}, Flags: []verb.Flag{all()},
			Examples: []string{"app cleanup", "app cleanup --all"},
			Group:    verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control | verb.InvalidatesRefs},
	}}
}

func all() verb.Flag { return verb.Flag{Name: "all", Kind: verb.Bool, Doc: "every launch"} }

func idOrAll(c *verb.Call) *verb.Error {
	if c.Has("id") && c.Bool("all") {
		return verb.Invalid(c.Verb.Name+": give the id of a launch or --all, not both", "`app status --all` lists the launches.").About("--all", "true")
	}
	return nil
}

// launchRules refuses arguments before anything is looked for.
func launchRules(c *verb.Call) *verb.Error {
	for _, arg := range c.List("arguments") {
		if app.OwnArg(arg) {
			return verb.Invalid("app launch: the argument "+arg+" is not for you to give: usher chooses the profile and the debugging port", "Leave it out. To use the app's own profile, start the app with --remote-debugging-port yourself, and `connect` to the port.").About("<arguments>", arg)
		}
	}
	return nil
}
