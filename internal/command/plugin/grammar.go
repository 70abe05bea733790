package plugin

import "github.com/usher-browser/usher/internal/verb"

// grammar returns the commands about plugins.
func grammar() verb.Set {
	const group, marks = verb.GroupDebug, verb.Control | verb.DaemonOptional
	name := verb.Arg{Name: "name", Kind: verb.PluginName, Required: true, Doc: "the name of the plugin"}
	return verb.Set{Families: []verb.Family{{Name: "plugin", Alias: "plugins", Summary: "programs that give credentials, browsers or launch options", Bare: "plugin list"}}, Verbs: []verb.Verb{
		{Name: "plugin add", Summary: "add a plugin to your configuration file",
			Help: "The reference is an npm package (NAME, @SCOPE/NAME), a GitHub repository (OWNER/REPO), both started with npx, or the path of a\n" +
				"program (./vault.py). The plugin is started once and asked for its manifest, which has its name and capabilities. A plugin of\n" +
				"the same name is replaced. Files of a project cannot add plugins, because whoever wrote them would run programs: --project\n" +
				"writes such a file, which counts only when it is named with --config.",
			Args: []verb.Arg{{Name: "ref", Required: true, Doc: "package, repository, or path of a program"}},
			Flags: []verb.Flag{
				{Name: "name", Kind: verb.PluginName, Value: "name", Doc: "its name, in place of that in the manifest"},
				{Name: "capability", Value: "name", Multi: verb.CSV, Doc: "a capability, in place of those in the manifest: credential.read, browser.provider, launch.mutate, command.run, or its own; may be repeated"},
				{Name: "project", Kind: verb.Bool, Doc: "write usher.yaml (agent-browser: agent-browser.json) of this directory"},
				{Name: "no-manifest", Kind: verb.Bool, Doc: "do not start it; needs --capability"}},
			Examples: []string{"plugin add agent-browser-plugin-vault --name vault", "plugin add ./vault.py --capability credential.read"},
			Next:     []string{"plugin list"}, Group: group, Category: verb.CatPlugin, Marks: marks | verb.SavesFiles},
		{Name: "plugin list", Summary: "list the plugins of the configuration", Examples: []string{"plugin list", "plugins"},
			Help: "Plugins are members of plugins in your own configuration file, with command, args, env and capabilities; a list of them in\n" +
				"agent-browser's file; or the JSON list in USHER_PLUGINS, which replaces those. A plugin is started for each request, in your\n" +
				"home directory; it reads one JSON object and writes one (protocol agent-browser.plugin.v1, docs/plugins.md).",
			Group: group, Category: verb.CatTool, Marks: marks},
		{Name: "plugin show", Summary: "show how a plugin is started", Args: []verb.Arg{name}, Examples: []string{"plugin show vault"},
			Group: group, Category: verb.CatTool, Marks: marks},
		{Name: "plugin run", Summary: "send a plugin a request of its own kind",
			Help: "The plugin has to declare the type as a capability, or command.run. Policies judge it as plugin:NAME:CAPABILITY. Credentials,\n" +
				"browsers and launch options have commands of their own: auth login --credential-provider, --provider, open.",
			Args:     []verb.Arg{name, {Name: "type", Required: true, Doc: "the type of the request"}},
			Flags:    []verb.Flag{{Name: "payload", Value: "json", Raw: true, Doc: "the request; {} if not given"}},
			Examples: []string{`plugin run captcha captcha.solve --payload '{"siteKey":"k"}'`},
			Group:    group, Category: verb.CatPlugin, Capability: verb.CommandRun, Marks: marks},
	}}
}
