// What the user's restrictions forbid. The relay enforces them, too; this is the side that the user controls.
//
// They are no boundary against a hostile script in a page, which can do all that the page can: they bind CDP commands. In read-only
// mode, scripts of agents run with throwOnSideEffect, so that V8 ends them at the first change; usher's own that only read run without.

import acting from "../../internal/relay/acting.json";
import { Failure, codeUserRefused } from "./protocol";
import { isActingCall, reads } from "./reading";
import { settings } from "./settings";

type Params = { [key: string]: unknown } | undefined;

const scripts = new Set(["Runtime.evaluate", "Runtime.callFunctionOn", "Debugger.evaluateOnCallFrame"]);

// acting.json is the relay's, too. Its commands change a page, its data or what it sends, and so do those that begin with one of its
// prefixes, but the harmless ones.
const writes = new Set(acting.commands);
const harmless = new Set(acting.harmless);
const navigations = new Set(acting.navigations);

// restricted tells whether check has anything to do.
export function restricted(): boolean {
  return settings.readOnly || settings.lockUrl || settings.noNewTabs || settings.mode === "attached-only";
}

// check returns the parameters with which a command is sent, or throws a Failure that names the setting.
export function check(method: string, params: Params): Params {
  if (settings.lockUrl && navigations.has(method)) {
    throw refusal(method, "lock URL", "agents may not open another page in a tab");
  }
  if (method === "Target.createTarget") {
    checkNewTab(method);
  }
  if (!settings.readOnly) {
    return params;
  }
  if (scripts.has(method)) {
    if (isActingCall(params?.expression)) {
      throw refusal("acting on the page", "read-only", "agents may look, not act");
    }
    return reads(method, params) ? params : { ...params, throwOnSideEffect: true };
  }
  if (harmless.has(method)) {
    return params;
  }
  if (writes.has(method) || navigations.has(method) || acting.prefixes.some((p) => method.startsWith(p)) || writesWith(method, params)) {
    throw refusal(method, "read-only", "agents may look, not act");
  }
  return params;
}

// checkNewTab throws if no tabs may be opened.
export function checkNewTab(what: string): void {
  if (settings.noNewTabs) {
    throw refusal(what, "no new tabs", "agents may not open tabs");
  }
  if (settings.mode === "attached-only") {
    throw refusal(what, "attached-only", "agents may use the tabs that the user shared, and open none");
  }
}

// writesWith covers commands that change something only with certain parameters.
function writesWith(method: string, params: Params): boolean {
  switch (method) {
    case "Page.addScriptToEvaluateOnNewDocument": // an empty one only makes an isolated world
      return typeof params?.source !== "string" || (params.source.trim() !== "" && !reads(method, params));
    case "Page.handleJavaScriptDialog":
      return params?.accept === true;
    case "Fetch.continueRequest":
      return ["url", "method", "postData", "headers"].some((k) => params?.[k] !== undefined);
  }
  return false;
}

function refusal(what: string, setting: string, meaning: string): Failure {
  return new Failure(`${what} was refused: "${setting}" is on in the usher extension (${meaning}); the user can change it in the extension's popup`, codeUserRefused);
}
