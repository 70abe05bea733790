// Objects that say what they have when code asks for what they do not have.

// Names that others than code look up: promises, JSON, the console, iteration.
const silent = new Set(["then", "toJSON", "constructor", "inspect", "nodeType", "asymmetricMatch", "$$typeof", "length", "splice", "size", "tagName"]);

// ownContext is what there is in place of a context of the code's own.
const ownContext = "`context`, the only one of the session, with page.setViewportSize, setUserAgent, emulateTimezone, setGeolocation and their like for the options; another session (usher --session NAME) has other cookies";

// instead is what there is in place of what Playwright and Puppeteer have, and code here has not.
const instead: Record<string, string> = {
  video: "the command record", tracing: "the command trace", coverage: "page.createCDPSession() with Profiler and CSS",
  expect: "assert(condition, text)", screencast: "the command record",
  serviceWorkers: "page.evaluate with navigator.serviceWorker", routeWebSocket: "page.addInitScript with a WebSocket of your own",
  setDragInterception: "locator.dragTo(target)", isDragInterceptionEnabled: "locator.dragTo(target)", dragEnter: "handle.drag(target)", dragOver: "handle.drag(target)", removeExposedFunction: "nothing: an exposed function ends with the run",
  ariaSnapshotJSON: "ariaSnapshot()",
  continue: "page.setRequestInterception(true), before the request is sent; this one was not intercepted", respond: "page.setRequestInterception(true), before the request is sent; this one was not intercepted",
  waitForXPath: "page.waitForSelector('xpath/' + expression)", waitFor: "page.waitForSelector(selector), page.waitForFunction(function) or wait(milliseconds)",
  stackTrace: "message.location()", timing: "request.timing()", newContext: ownContext, createBrowserContext: ownContext, createIncognitoBrowserContext: ownContext,
  goto: "page.goto(url); a frame goes with frame.evaluate((url) => { location.href = url; }, url)", waitForNavigation: "page.waitForNavigation(); for a frame, frame.waitForURL(url)",
  process: "the command session info", wsEndpoint: "the command get cdp-url", emulateIdleState: "page.createCDPSession() with Emulation.setIdleOverride",
  queryObjects: "page.evaluate", waitForDevicePrompt: "nothing: devices cannot be asked for",
  securityDetails: "response.url()", initiator: "page.createCDPSession() with Network.enable", client: "page.createCDPSession()",
  toLocator: "page.locator(selector)", createReadStream: "download.saveAs(path)",
  setServiceWorkerBypass: "page.createCDPSession() with Network.setBypassServiceWorker", on: "page.on(event, handler)", isTouchEnabled: "page.viewport().hasTouch",
};

// known makes instances of a class throw for unknown members, with the names nearest to the one that code used.
export function known(of: { prototype: object; name: string }, what: string): void {
  const base = Object.getPrototypeOf(of.prototype) as object;
  const names = (from: object) => {
    const all = new Set<string>();
    for (let at: object | null = Object.getPrototypeOf(from) as object | null; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
      for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") all.add(name);
    }
    return [...all];
  };
  const guard = new Proxy(base, {
    get(target, name, receiver) {
      if (typeof name === "symbol" || Reflect.has(target, name) || silent.has(name)) return Reflect.get(target, name, receiver) as unknown;
      if (instead[name]) throw new TypeError(`${what} has no member ${name}. There is: ${instead[name]}.`);
      const near = nearest(name, names(receiver as object));
      const hint = near.length > 0 ? ` The nearest are: ${near.join(", ")}.` : "";
      throw new TypeError(`${what} has no member ${name}.${hint}`);
    },
  });
  Object.setPrototypeOf(of.prototype, guard);
}

// nearest returns the names most like one.
export function nearest(name: string, names: string[]): string[] {
  const wanted = name.toLowerCase();
  return names
    .map((candidate) => ({ candidate, far: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(2, wanted.length / 3) || (wanted.length > 3 && (candidate.toLowerCase().includes(wanted) || wanted.includes(candidate.toLowerCase()))))
    .sort((a, b) => a.far - b.far)
    .slice(0, 4)
    .map(({ candidate }) => candidate);
}

// distance is Levenshtein's.
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
