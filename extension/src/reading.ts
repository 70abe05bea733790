// Which scripts are usher's own and only read. In read-only mode they run without throwOnSideEffect, which ends them, too: they keep what they
// know of a page in maps of their own. reading.json has their whole texts; `usher extension install` writes it.

interface Call {
  before: string;
  open: string;
  close: string;
  reads: string[];
}

interface Rules {
  scripts: string[];
  calls: Call[];
  functions: string[];
}

let rules: Rules = { scripts: [], calls: [], functions: [] };

// loadRules reads the rules; without them no script counts as reading, and all else works.
export async function loadRules(): Promise<void> {
  try {
    rules = (await (await fetch(chrome.runtime.getURL("reading.json"))).json()) as Rules;
  } catch (e) { // Chrome shows it among the errors of the extension
    console.error("reading.json cannot be read, so usher reads nothing in read-only mode; run `usher extension install`:", e);
  }
}

// reads tells whether a command that runs a script, or adds one to documents, has one of usher's that only reads.
export function reads(method: string, params: { [key: string]: unknown } | undefined): boolean {
  switch (method) {
    case "Runtime.evaluate":
      return isReading(params?.expression);
    case "Page.addScriptToEvaluateOnNewDocument":
      return isReading(params?.source);
    case "Runtime.callFunctionOn":
      return rules.functions.includes(String(params?.functionDeclaration));
  }
  return false;
}

function isReading(text: unknown): boolean {
  if (typeof text !== "string") {
    return false;
  }
  if (rules.scripts.includes(text)) {
    return true;
  }
  const call = callOf(text);
  const tail = text.slice(call?.before.length);
  const name = call?.reads.find((n) => tail.startsWith(n + call.open));
  if (call === undefined || name === undefined || !tail.endsWith(call.close)) {
    return false;
  }
  const argument = tail.slice(name.length + call.open.length, -call.close.length);
  try {
    return argument === "" || JSON.parse(argument) !== undefined;
  } catch {
    return false;
  }
}

// isActingCall tells whether a text begins as a call of usher's own and does not only read.
export function isActingCall(text: unknown): boolean {
  return typeof text === "string" && callOf(text) !== undefined && !isReading(text);
}

const callOf = (text: string): Call | undefined => rules.calls.find((c) => text.startsWith(c.before));
