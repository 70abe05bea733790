// The link to the relay: one WebSocket, its handshake, its end and its return.

import { list } from "./attachments";
import { closeNotPaired, closeWrongSecret, protocol, type Command, type Welcome } from "./protocol";
import { loadIdentity, settings, storeIdentity } from "./settings";

export type State = "connecting" | "connected" | "not paired" | "waiting";

const resumeKey = "resume";
const firstDelay = 500; // ms before the second attempt
const longestDelay = 5_000; // ms between attempts
const opening = 5_000; // ms for a connection, and again for the handshake
const silence = 20_000; // ms without a ping after which the relay is taken to be gone
const queueLimit = 4 << 20; // bytes of events that are kept while there is no link, counted as UTF-16 units

let socket: WebSocket | undefined; // the one that is open and welcomed, or being set up
let welcomed = false;
let heard = 0; // when a frame came last, ms since the epoch
let delay = firstDelay;
let retry: ReturnType<typeof setTimeout> | undefined;
let code = ""; // pairing code that the user just typed

let queue: string[] = [];
let queued = 0;
const lost = new Set<number>(); // tabs with events that did not fit into the queue

export const status = { state: "waiting" as State, detail: "", relay: "", address: "" };

let receive: (message: Command, socket: WebSocket) => void = () => {};
let changed: () => void = () => {};

// serve sets what is called with each frame, and after each change of status.
export function serve(onCommand: typeof receive, onChange: () => void): void {
  receive = onCommand;
  changed = onChange;
}

function become(state: State, detail: string): void {
  status.state = state;
  status.detail = detail;
  changed();
}

// send sends a text frame. Without a link, an event is kept for the next one; tabId says whose it is.
export function send(text: string, tabId = -1): void {
  if (welcomed && socket !== undefined) {
    socket.send(text);
    return;
  }
  if (lost.size > 0 || queued + text.length > queueLimit) {
    lost.add(tabId);
    return;
  }
  queue.push(text);
  queued += text.length;
}

export function notify(method: string, params: object): void {
  send(JSON.stringify({ method, params }));
}

// pair connects with a code that the user typed.
export function pair(typed: string): void {
  code = typed;
  reconnect();
}

// reconnect drops the link, if any, and connects at once.
export function reconnect(): void {
  const old = socket;
  forget();
  old?.close(1000, "reconnect");
  delay = firstDelay;
  void connect();
}

// wake connects if there is no link and nobody has to do something first; alarms call it.
export function wake(): void {
  if (socket === undefined && status.state !== "not paired") {
    void connect();
  }
}

function forget(): void {
  socket = undefined;
  welcomed = false;
  clearTimeout(retry);
  retry = undefined;
}

async function connect(): Promise<void> {
  clearTimeout(retry);
  retry = undefined;
  if (socket !== undefined) {
    return;
  }
  const [identity, stored, ua] = await Promise.all([loadIdentity(), chrome.storage.session.get(resumeKey), product()]);
  if (socket !== undefined) {
    return; // another call was faster
  }
  const mine = new WebSocket(identity.relay);
  socket = mine;
  status.address = identity.relay;
  if (status.state !== "waiting") {
    become("connecting", "");
  }
  let limit = setTimeout(() => mine.close(), opening);
  mine.onopen = () => {
    clearTimeout(limit);
    limit = setTimeout(() => mine.close(), opening);
    const typed = code || identity.code;
    code = "";
    mine.send(
      JSON.stringify({
        method: "hello",
        params: {
          protocol,
          version: version(),
          userAgent: navigator.userAgent,
          product: ua,
          install: identity.install,
          ...(identity.token === "" ? {} : { token: identity.token }),
          ...(typed === "" ? {} : { code: typed }),
          ...(typeof stored[resumeKey] === "string" ? { resume: stored[resumeKey] } : {}),
          attached: list(),
          settings,
        },
      }),
    );
  };
  mine.onmessage = (event: MessageEvent<string>) => {
    heard = Date.now();
    const message = JSON.parse(event.data) as Command;
    if (welcomed) {
      receive(message, mine);
    } else if (message.method === "welcome") {
      clearTimeout(limit);
      welcome(message.params as unknown as Welcome, identity.relay);
    }
  };
  mine.onclose = (event) => {
    clearTimeout(limit);
    if (socket === mine) {
      forget();
      ended(event, identity.relay);
    }
  };
}

function welcome(w: Welcome, address: string): void {
  welcomed = true;
  delay = firstDelay;
  status.relay = w.relay;
  void chrome.storage.session.set({ [resumeKey]: w.session });
  if (w.token !== undefined) {
    void storeIdentity({ token: w.token });
  }
  const kept = w.resumed ? queue : [];
  const gone = w.resumed ? [...lost] : [];
  queue = [];
  queued = 0;
  lost.clear();
  for (const text of kept) {
    send(text);
  }
  if (gone.length > 0) {
    notify("events.lost", { tabs: gone.filter((id) => id >= 0) });
  }
  become("connected", `to ${w.relay} at ${address}`);
}

// ended decides what follows the end of a link: another attempt, or waiting for the user.
function ended(event: CloseEvent, address: string): void {
  if (event.code === closeNotPaired || event.code === closeWrongSecret) {
    become("not paired", event.reason);
    return;
  }
  become("waiting", event.reason || `no relay answers at ${address}`);
  retry = setTimeout(() => void connect(), delay);
  delay = Math.min(delay * 2, longestDelay);
}

// A relay that vanished without closing the connection, or a computer that slept: no ping comes.
setInterval(() => {
  if (welcomed && Date.now() - heard > silence) {
    reconnect();
  }
}, 5_000);

export function version(): string {
  const manifest = chrome.runtime.getManifest();
  return manifest.version_name ?? manifest.version;
}

interface UserAgentData {
  getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
}

// product is the browser as CDP's Browser.getVersion names it. The user agent string has only the major version.
async function product(): Promise<string> {
  const data = (navigator as unknown as { userAgentData?: UserAgentData }).userAgentData;
  const brands = (await data?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? [];
  const full = brands.find((b) => b.brand === "Chromium")?.version;
  return `Chrome/${full ?? /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? "0"}`;
}
