package agentbrowser

import "github.com/go-json-experiment/json/jsontext"

// The schemas of the modes. The checks, with their messages, are in package session/agenttool.
var (
	semanticSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"required":["action"],"properties":{` +
		`"action":{"enum":["check","click","fill","select","uncheck"]},` +
		`"locator":{"enum":["alt","label","placeholder","role","testid","text","title"]},` +
		`"value":{"type":"string"},"values":{"type":"array","items":{"type":"string"}},"selector":{"type":"string"},"text":{"type":"string"},` +
		`"role":{"type":"string"},"name":{"type":"string"},"session":{"type":"string"}}}`)
	jobSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"required":["steps"],"properties":{"failFast":{"type":"boolean","default":true},` +
		`"steps":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["action"],"properties":{` +
		`"action":{"enum":["open","click","fill","type","select","wait","assertText","assertUrl","waitForDownload","snapshot","screenshot"]},` +
		`"url":{"type":"string"},"loadState":{"enum":["domcontentloaded","load","networkidle"]},"selector":{"type":"string"},` +
		`"locator":{"enum":["alt","label","placeholder","role","testid","text","title"]},"value":{"type":"string"},` +
		`"values":{"type":"array","items":{"type":"string"}},"role":{"type":"string"},"name":{"type":"string"},"text":{"type":"string"},` +
		`"delayMs":{"type":"integer"},"press":{"type":"string"},"milliseconds":{"type":"integer"},"path":{"type":"string"}}}}}}`)
	qaSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"url":{"type":"string"},"attached":{"type":"boolean"},` +
		`"expectedText":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},"expectedSelector":{"type":"string"},` +
		`"screenshotPath":{"type":"string"},"checkConsole":{"type":"boolean"},"checkErrors":{"type":"boolean"},"checkNetwork":{"type":"boolean"},` +
		`"loadState":{"enum":["domcontentloaded","load","networkidle"]}}}`)
	sourceSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"selector":{"type":"string"},"reactFiberId":{"type":"string"},` +
		`"componentName":{"type":"string"},"includeDomHints":{"type":"boolean","default":true},"maxWorkspaceFiles":{"type":"integer","minimum":1,"maximum":5000}}}`)
	networkSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"requestId":{"type":"string"},"filter":{"type":"string"},` +
		`"url":{"type":"string"},"session":{"type":"string"},"namespace":{"type":"string"},"maxWorkspaceFiles":{"type":"integer","minimum":1,"maximum":5000}}}`)
	electronSchema = jsontext.Value(`{"type":"object","additionalProperties":false,"required":["action"],"properties":{` +
		`"action":{"enum":["list","launch","status","cleanup","probe"]},"query":{"type":"string"},"maxResults":{"type":"integer","minimum":1,"maximum":200},` +
		`"appPath":{"type":"string"},"appName":{"type":"string"},"bundleId":{"type":"string"},"executablePath":{"type":"string"},` +
		`"appArgs":{"type":"array","items":{"type":"string"}},"handoff":{"enum":["connect","tabs","snapshot"]},"targetType":{"enum":["page","webview","any"]},` +
		`"timeoutMs":{"type":"integer","minimum":1},"allow":{"type":"array","items":{"type":"string"}},"deny":{"type":"array","items":{"type":"string"}},` +
		`"launchId":{"type":"string"},"all":{"const":true}}}`)
)
