package toolset

import "sync"

// builtin returns the built-in toolsets. Names and tools follow the Hermes reference, so that its configurations work;
// the last few are usher's.
var builtin = sync.OnceValue(func() []Set {
	sets := core()
	sets = append(sets, composite()...)
	return append(sets, platforms()...)
})

func core() []Set {
	one := func(name, doc string, tools ...string) Set {
		return Set{Name: name, Kind: Core, Doc: doc, Tools: tools}
	}
	return []Set{
		{Name: "browser", Kind: Core, Doc: "a web browser: read pages, act on them, answer dialogs; with web search",
			Includes: []string{"browser_basic"}, Tools: []string{"browser_check", "browser_downloads", "browser_drag", "browser_fill_form", "browser_find",
				"browser_hover", "browser_select", "browser_tabs", "browser_upload", "browser_wait", "web_search"}},
		one("browser_basic", "a web browser with the twelve tools of the Hermes reference",
			"browser_back", "browser_cdp", "browser_click", "browser_console", "browser_dialog", "browser_get_images", "browser_navigate",
			"browser_press", "browser_scroll", "browser_snapshot", "browser_type", "browser_vision"),
		one("agent_browser", "a web browser as one tool: commands, jobs, checks; results say what can follow", "agent_browser"),
		one("clarify", "ask the person", "clarify"),
		one("code", "drive the browser with JavaScript", "browser"),
		one("code_execution", "run programs that call tools", "execute_code"),
		one("cronjob", "tasks that recur", "cronjob"),
		one("delegation", "delegate work to a subagent", "delegate_task"),
		one("feishu_doc", "read Feishu documents", "feishu_doc_read"),
		one("feishu_drive", "comments in Feishu Drive",
			"feishu_drive_add_comment", "feishu_drive_list_comment_replies", "feishu_drive_list_comments", "feishu_drive_reply_comment"),
		one("file", "read, write, search and edit files", "patch", "read_file", "search_files", "write_file"),
		one("homeassistant", "control devices through Home Assistant",
			"ha_call_service", "ha_get_state", "ha_list_entities", "ha_list_services"),
		one("image_gen", "pictures from text", "image_generate"),
		one("memory", "notes that persist across sessions", "memory"),
		one("messaging", "send messages to other platforms", "send_message"),
		one("moa", "combine answers of several models", "mixture_of_agents"),
		one("playwright", "drive the browser with Playwright code, whose state is kept between calls", "execute", "reset"),
		one("rl", "train models by reinforcement",
			"rl_check_status", "rl_edit_config", "rl_get_current_config", "rl_get_results", "rl_list_environments", "rl_list_runs",
			"rl_select_environment", "rl_start_training", "rl_stop_training", "rl_test_inference"),
		one("search", "search the web, without reading pages", "web_search"),
		one("session_search", "search earlier sessions", "session_search"),
		one("skills", "saved instructions", "skill_manage", "skill_view", "skills_list"),
		one("terminal", "run commands, in the background too", "process", "terminal"),
		one("todo", "a task list", "todo"),
		one("tts", "speech from text", "text_to_speech"),
		one("vision", "describe images", "vision_analyze"),
		one("web", "search the web and read pages, without a browser", "web_extract", "web_search"),
	}
}

func composite() []Set {
	of := func(name, doc string, includes ...string) Set {
		return Set{Name: name, Kind: Composite, Doc: doc, Includes: includes}
	}
	return []Set{
		of("debugging", "files, commands and the web", "web", "file", "terminal"),
		of("safe", "search, read and make images; write no file, run no program", "web", "vision", "image_gen"),
	}
}

// messengers returns the platforms on which all toolsets are on by default.
func messengers() []string {
	return []string{"telegram", "discord", "slack", "whatsapp", "signal", "matrix", "mattermost", "email", "sms", "bluebubbles",
		"dingtalk", "feishu", "qqbot", "wecom", "wecom-callback", "weixin", "webhook"}
}

// hermesPrefix is the prefix of the platforms' names.
const hermesPrefix = "hermes-"

func platforms() []Set {
	of := func(name, doc string, includes ...string) Set {
		return Set{Name: name, Kind: Platform, Doc: doc, Includes: includes}
	}
	sets := []Set{
		of("mcp", "the default of `usher mcp`", "browser", "web"),
		of("cli", "an agent in a terminal", "hermes-cli"),
		of("acp", "an agent in an editor", "hermes-acp"),
		of("api-server", "programs that call an agent", "hermes-api-server"),
		of("hermes-cli", "everything except training models and single services", "browser", "clarify", "code_execution", "cronjob",
			"delegation", "file", "homeassistant", "image_gen", "memory", "messaging", "session_search", "skills", "terminal", "todo",
			"tts", "vision", "web"),
		of("hermes-acp", "for work on code in an editor", "browser", "code_execution", "delegation", "file", "memory", "session_search",
			"skills", "terminal", "todo", "vision", "web"),
		of("hermes-api-server", "hermes-cli without tools that need a person", "browser", "code_execution", "cronjob",
			"delegation", "file", "homeassistant", "image_gen", "memory", "session_search", "skills", "terminal", "todo", "vision", "web"),
	}
	gateway := []string{"hermes-cli", "hermes-homeassistant"}
	for _, name := range messengers() {
		sets = append(sets, of(hermesPrefix+name, "the same as hermes-cli", "hermes-cli"))
		gateway = append(gateway, hermesPrefix+name)
	}
	return append(sets,
		of("hermes-homeassistant", "hermes-cli, with Home Assistant", "hermes-cli", "homeassistant"),
		of("hermes-gateway", "everything that any messaging platform has", gateway...))
}

// DefaultPlatform is the platform of `usher mcp`.
const DefaultPlatform = "mcp"

// OfPlatform returns the default toolset of a platform. "telegram" means hermes-telegram. The error for an unknown
// platform suggests the nearest name.
func (r *Registry) OfPlatform(platform string) (*Set, error) {
	for _, name := range []string{platform, hermesPrefix + platform} {
		if s := r.sets[name]; s != nil && s.Kind == Platform {
			return s, nil
		}
	}
	return nil, r.unknownPlatform(platform)
}
