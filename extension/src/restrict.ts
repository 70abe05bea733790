// What the user's restrictions forbid. The relay enforces them, too; this is the side that the user controls.
//
// They are no boundary against a hostile script in a page, which can do all that the page can: they bind CDP commands. In read-only
// mode, scripts of agents run with throwOnSideEffect, so that V8 ends them at the first change; usher's own that only read run without.

import { Failure, codeUserRefused } from "./protocol";
import { isActingCall, reads } from "./reading";
import { settings } from "./settings";

type Params = { [key: string]: unknown } | undefined;

const scripts = new Set(["Runtime.evaluate", "Runtime.callFunctionOn", "Debugger.evaluateOnCallFrame"]);

// writes are commands that change a page, its data or what it sends, besides those of whole domains below.
const writes = new Set([
  "CSS.addRule",
  "CSS.createStyleSheet",
  "CacheStorage.deleteCache",
  "CacheStorage.deleteEntry",
  "DOM.copyTo",
  "DOM.focus",
  "DOM.moveTo",
  "DOM.redo",
  "DOM.removeAttribute",
  "DOM.removeNode",
  "DOM.scrollIntoViewIfNeeded",
  "DOM.setAttributesAsText",
  "DOM.setAttributeValue",
  "DOM.setFileInputFiles",
  "DOM.setNodeName",
  "DOM.setNodeValue",
  "DOM.setOuterHTML",
  "DOM.undo",
  "Debugger.setReturnValue",
  "Debugger.setScriptSource",
  "Debugger.setVariableValue",
  "Fetch.fulfillRequest",
  "Network.clearBrowserCache",
  "Network.clearBrowserCookies",
  "Network.deleteCookies",
  "Network.replayXHR",
  "Network.setCookie",
  "Network.setCookies",
  "Page.close",
  "Page.reload",
  "Page.setDocumentContent",
  "Runtime.runScript",
  "Runtime.setProtocolObject",
]);

const writingPrefixes = ["Input.", "CSS.set", "Storage.clear", "Storage.delete", "Storage.set", "WebAuthn.", "WebMCP.invoke"];
const harmless = new Set(["Input.setIgnoreInputEvents", "Input.setInterceptDrags"]);
const navigations = new Set(["Page.navigate", "Page.navigateToHistoryEntry", "Page.resetNavigationHistory"]);

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
  if (writes.has(method) || navigations.has(method) || writingPrefixes.some((p) => method.startsWith(p)) || writesWith(method, params)) {
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
