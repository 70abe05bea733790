package help

import "github.com/usher-browser/usher/internal/verb"

// Programs that were written for agent-browser, and people who know it, look up its notation: `fill <sel> <text>`,
// `--max-output <chars>`. Called by its name, help writes commands in that notation, from the tables below. They have no
// texts, only names of arguments and values; a test compares every name with the grammar.

// notation returns the usage of a verb as agent-browser writes it, one line per form and without the program's name; nil
// where that is the notation of the table. A flag in it need not be the only one: help lists all.
func notation(name string) []string {
	switch name {
	case "open":
		return []string{"open <url>", "open [url]"}
	case "read page":
		return []string{"read [url] [--raw] [--require-md] [--llms <index|full>] [--outline] [--filter <text>] [--timeout <ms>]"}
	case "fill", "type":
		return []string{name + " <sel> <text>"}
	case "click", "dblclick", "hover", "focus", "check", "uncheck", "scrollintoview", "highlight":
		return []string{name + " <sel>"}
	case "tap":
		return []string{"tap <sel>", "tap <selector>"}
	case "swipe":
		return []string{"swipe <direction> [distance]"}
	case "select":
		return []string{"select <sel> <val...>"}
	case "drag":
		return []string{"drag <src> <dst>"}
	case "upload":
		return []string{"upload <sel> <files...>"}
	case "download":
		return []string{"download <sel> <path>"}
	case "scroll":
		return []string{"scroll <dir> [px]"}
	case "wait":
		return []string{"wait <sel|ms>", "wait --url <pattern>", "wait --load <state>", "wait --fn <expression>", "wait --text <text>", "wait --download [path]"}
	case "screenshot":
		return []string{"screenshot [path]", "screenshot [selector] [path] [--full, -f] [--annotate]"}
	case "eval":
		return []string{"eval <js>"}
	case "keyboard type", "keyboard inserttext":
		return []string{name + " <text>"}
	case "clipboard write":
		return []string{name + " <text>"}
	case "find role":
		return []string{"find role <role> [action] [text] [--name <name>] [--exact]"}
	case "find testid":
		return []string{"find testid <id> [action] [text]"}
	case "find text", "find label", "find placeholder", "find alt", "find title":
		return []string{name + " <text> [action] [text] [--exact]"}
	case "find first", "find last":
		return []string{name + " <selector> [action] [text]"}
	case "find nth":
		return []string{"find nth <index> <selector> [action] [text]"}
	}
	return stateNotation(name)
}

// stateNotation is [notation] for the commands about settings, storage, tabs and frames.
func stateNotation(name string) []string {
	switch name {
	case "set viewport":
		return []string{"set viewport <w> <h> [scale]"}
	case "set device":
		return []string{"set device <name>"}
	case "set geo":
		return []string{"set geo <lat> <lng>"}
	case "set headers":
		return []string{"set headers <json>"}
	case "set credentials":
		return []string{"set credentials <user> <pass>"}
	case "set media":
		return []string{"set media [dark|light] [reduced-motion]"}
	case "cookies set":
		return []string{"cookies set <name> <value>", "cookies set --curl <file>"}
	case "storage local", "storage session":
		return []string{name + " [get [key]]", name + " set <key> <value>", name + " clear"}
	case "state save", "state load":
		return []string{name + " <path>"}
	case "state show":
		return []string{"state show <filename>"}
	case "state rename":
		return []string{"state rename <old-name> <new-name>"}
	case "state clear":
		return []string{"state clear [session-name] [--all]"}
	case "state clean":
		return []string{"state clean --older-than <days>"}
	case "tab new":
		return []string{"tab new [url]", "tab new --label <name> [url]"}
	case "tab switch":
		return []string{"tab <t<N>|label|target>"}
	case "tab close":
		return []string{"tab close [t<N>|label|target]"}
	case "frame switch":
		return []string{"frame <selector|main>"}
	}
	return debugNotation(name)
}

// debugNotation is [notation] for the commands that observe, record and manage.
func debugNotation(name string) []string {
	switch name {
	case "network requests":
		return []string{"network requests [options]"}
	case "network request":
		return []string{"network request <requestId>"}
	case "network route":
		return []string{"network route <url> [--abort] [--body <json>] [--resource-type <csv>]"}
	case "network har":
		return []string{"network har <start|stop> [path]", "network har start [--content <mode>]", "network har stop [path]"}
	case "record start":
		return []string{"record start <path> [url]"}
	case "record restart":
		return []string{"record restart <path.webm> [url]"}
	case "diff snapshot":
		return []string{"diff snapshot [options]", "diff snapshot --baseline <f>"}
	case "diff screenshot":
		return []string{"diff screenshot --baseline <f>"}
	case "diff url":
		return []string{"diff url <u1> <u2> [--wait-until <strategy>]"}
	case "connect":
		return []string{"connect <port|url>", "connect <port|url> [--cdp-headers <json>]"}
	case "react renders":
		return []string{"react renders start", "react renders stop [--json]"}
	case "react suspense":
		return []string{"react suspense [--only-dynamic] [--json]"}
	case "addinitscript":
		return []string{"addinitscript <js>"}
	case "vitals":
		return []string{"vitals [url] [--json]"}
	case "a11y":
		return []string{"a11y [url] [--tags <t1,t2>] [--selector <css>] [--json]"}
	case "dashboard start":
		return []string{"dashboard start --port <n>", "dashboard start --allowed-origins <origins>"}
	case "chat":
		return []string{"chat <message>", "chat [--model <name>] [-v, --verbose] [-q, --quiet]"}
	case "batch":
		return []string{"batch [--bail] [cmd...]"}
	case "console", "errors":
		return []string{name + " [--clear]"}
	case "auth save":
		return []string{"auth save <name> --url <url> --username <user> [--password <pass>] [--password-stdin]"}
	case "session id":
		return []string{"session id [--scope worktree|cwd|git-root] [--prefix <name>]"}
	case "doctor":
		return []string{"doctor [--fix]"}
	case "install":
		return []string{"install --with-deps", "install"}
	case "skills get":
		return []string{"skills get <name> [name...]", "skills get <name> --full", "skills get --all"}
	}
	return nil
}

// valueNames returns agent-browser's names for the value of a flag: of a verb, or of every command if verb is "". None
// where it has the same name.
func valueNames(verb, flag string) []string {
	switch flag {
	case "filter":
		return []string{"pattern", "text"}
	case "name":
		return []string{"name"}
	case "categories":
		return []string{"list"}
	case "tags":
		return []string{"tag1,tag2"}
	case "content":
		return []string{"mode"}
	case "method":
		return []string{"method"}
	case "status":
		return []string{"code"}
	case "type":
		return []string{"types"}
	case "baseline":
		return []string{"f"}
	case "wait-until":
		return []string{"strategy"}
	case "username":
		return []string{"user"}
	case "password":
		return []string{"pass"}
	case "username-selector", "password-selector", "submit-selector":
		return []string{"s"}
	case "credential-provider":
		return []string{"p"}
	case "url":
		if verb == "wait" {
			return []string{"pattern"}
		}
	case "load":
		return []string{"state"}
	case "fn":
		return []string{"expression"}
	case "state":
		if verb == "" {
			return []string{"path"}
		}
	}
	return globalValueNames(verb, flag)
}

// globalValueNames is [valueNames] for the flags of every command.
func globalValueNames(verb, flag string) []string {
	if verb != "" {
		return nil
	}
	switch flag {
	case "args":
		return []string{"args"}
	case "user-agent":
		return []string{"ua"}
	case "proxy":
		return []string{"server"}
	case "hide-scrollbars":
		return []string{"bool"}
	case "color-scheme":
		return []string{"scheme"}
	case "download-path", "screenshot-dir", "action-policy", "state", "config", "executable-path":
		return []string{"path"}
	case "screenshot-quality":
		return []string{"n"}
	case "screenshot-format":
		return []string{"fmt"}
	case "allowed-domains", "confirm-actions":
		return []string{"list"}
	case "restore-save":
		return []string{"policy"}
	case "restore-check-url":
		return []string{"glob"}
	case "restore-check-text":
		return []string{"txt"}
	case "restore-check-fn":
		return []string{"js"}
	case "cdp":
		return []string{"port", "url"}
	case "profile":
		return []string{"name|path"}
	case "enable":
		return []string{"feature"}
	case "extension", "init-script":
		return []string{"path"}
	case "cdp-headers":
		return []string{"json"}
	case "idle-timeout":
		return []string{"time"}
	}
	return nil
}

// familyNotation returns the title and the usage of a family as agent-browser's overview has them; empty where it lists
// the commands only.
func familyNotation(name string) (title, usage string) {
	switch name {
	case "get":
		return "Get Info", "get <what> [selector]"
	case "is":
		return "Check State", "is <what> <selector>"
	case "find":
		return "Find Elements", "find <locator> <value> <action> [text]"
	case "mouse":
		return "Mouse", "mouse <action> [args]"
	case "set":
		return "Browser Settings", "set <setting> [value]"
	case "network":
		return "Network", "network <action>"
	case "cookies":
		return "Cookies", "cookies [get|set|clear]"
	case "storage":
		return "Storage", "storage <local|session>"
	case "clipboard":
		return "Clipboard", "clipboard <op> [text]"
	case "dialog":
		return "Dialogs", "dialog <accept|dismiss|status> [text]"
	case "window":
		return "Windows", "window <operation>"
	case "profiler":
		return "Profiler", "profiler start|stop [path]"
	case "frame":
		return "Frames", "frame <selector|main>"
	case "keyboard":
		return "Keyboard", "keyboard <subcommand> <text>"
	case "plugin":
		return "Plugins", "plugin [list]"
	case "react":
		return "React", "react <tree|inspect|renders|suspense> [args]"
	case "webmcp":
		return "WebMCP", "webmcp <list|invoke|result|cancel> [args]"
	case "skills":
		return "Skills", "skills [list|get|path]"
	case "dashboard":
		return "Dashboard", "dashboard [start|stop] [options]"
	}
	return "", ""
}

// systemProxies are the variables of the system that stand for a flag where neither a flag nor agent-browser's variable
// does; see package config.
func systemProxies(flag string) string {
	switch flag {
	case "proxy":
		return "HTTP_PROXY / HTTPS_PROXY, ALL_PROXY"
	case "proxy-bypass":
		return "NO_PROXY"
	}
	return ""
}

// flaglessVariables returns the variables that no flag stands for, without their prefix, and what each does.
func flaglessVariables() [][2]string {
	return [][2]string{
		{"SOCKET_DIR", "directory of the daemon's socket"},
		{"ENCRYPTION_KEY", "64 hexadecimal digits: the key with which saved states and logins are encrypted"},
		{"IOS_DEVICE", "ignored: simulators of iOS are not supported"},
		{"IOS_UDID", "ignored: simulators of iOS are not supported"},
		{"SKILLS_DIR", "directory of skills in place of the built-in ones"},
		{"STREAM_PORT", "ignored: this version cannot stream"},
		{"STREAM_QUALITY", "ignored: this version cannot stream"},
		{"STREAM_MAX_WIDTH", "ignored: this version cannot stream"},
		{"STREAM_MAX_HEIGHT", "ignored: this version cannot stream"},
		{"DASHBOARD_ALLOWED_ORIGINS", "ignored: this version has no dashboard"},
	}
}

// chatVariables are the variables of agent-browser's chat.
func chatVariables() []string {
	return []string{"AI_GATEWAY_URL", "AI_GATEWAY_API_KEY", "AI_GATEWAY_MODEL"}
}

// summaryOf returns the summary of a verb; of a few, one with the words under which readers of agent-browser's help look for them.
func summaryOf(v *verb.Verb) string {
	switch v.Name {
	case "pdf":
		return "Save page as PDF"
	case "mcp serve":
		return "Start an MCP stdio server for an agent"
	case "plugin add":
		return "Add a plugin from npm or GitHub, or a program of this machine"
	}
	return v.Summary
}

// noteOn returns what readers of agent-browser's help have to know about a family besides its commands; "" if there is nothing.
func noteOn(family string) string {
	if family == "mcp" {
		return "The tools have names and arguments of their own (tools list): what agent-browser calls agent_browser_open is browser_navigate."
	}
	return ""
}
