// The link to the relay: one WebSocket, its handshake, its end and its return.

import { list } from "./attachments";
import { encode } from "./encode";
import { record } from "./log";
import { closeNotPaired, closeWrongSecret, codeServer, protocol, type Command, type Welcome } from "./protocol";
import { loadIdentity, settings, storeIdentity } from "./settings";

// State of the link. "not paired": the relay refused, and the user has to enter a code. "waiting": no relay answered; the next attempt
// follows. "off": the user disconnected.
export type State = "connecting" | "connected" | "not paired" | "waiting" | "off";

const resumeKey = "resume";
const firstDelay = 50; // ms before the second attempt; each further one waits twice as long
const grace = 5_000; // ms for which the relay keeps commands for an extension that was interrupted
const densest = 400; // ms between attempts within that time, at most
const longestDelay = 5_000; // ms between attempts
const opening = 10_000; // ms for a connection, and again for the handshake
const silence = 20_000; // ms without a ping after which the relay is taken to be gone
const stay = 300_000; // ms after the last frame for which the worker is kept running without a link
const largest = 128 << 10; // UTF-16 units of a message that is sent as text
const queueLimit = 4 << 20; // bytes of events that are kept while there is no link, counted as UTF-16 units

let batch = false; // the relay takes several messages in a frame
let gathered = ""; // messages that leave in one frame
let emptying = false; // a task will send them

declare const scheduler: { postTask(task: () => void): Promise<void> };

let attempt = 0; // counts the attempts to connect; only the newest goes on
let socket: WebSocket | undefined; // the one that is open and welcomed, or being set up
let welcomed = false;
let heard = 0; // when a frame came last, ms since the epoch
let delay = firstDelay;
let lostAt = 0; // when a link that had been welcomed was lost, ms since the epoch
let retry: ReturnType<typeof setTimeout> | undefined;
let code = ""; // pairing code that the user just typed

// queue are frames that wait for a link, with the id of the command that a reply is for.
let queue: { text: string; id?: number }[] = [];
let queued = 0;

// pending are the commands whose replies the relay has not got. Those of a link that broke go over the next one, if the relay resumes
// the session; epoch counts the sessions.
const pending = new Set<number>();
let epoch = 0;
const lost = new Set<number>(); // tabs with events that did not fit into the queue

export const status = { state: "waiting" as State, detail: "", relay: "", address: "", paired: false };

let receive: (message: Command) => void = () => {};
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
    transmit(socket, text);
    return;
  }
  if (lost.size > 0 || queued + text.length > queueLimit) {
    lost.add(tabId);
    return;
  }
  queue.push({ text });
  queued += text.length;
}

// transmit sends a message. While commands are carried out, replies follow one another: those of a few tasks leave in one frame. With
// that, and commands that come in one, 1,000 evaluations at once take 0.13 s, and not 0.2.
function transmit(to: WebSocket, text: string): void {
  record("browser", text);
  if (text.length > largest) {
    empty(to);
    to.send(encode(text));
  } else if (!batch || (gathered === "" && pending.size === 0)) {
    to.send(text);
  } else {
    gathered = gathered === "" ? text : `${gathered}\n${text}`;
    if (pending.size === 0 || gathered.length > largest) {
      empty(to);
    } else if (!emptying) {
      emptying = true;
      void scheduler.postTask(() => {
        emptying = false;
        if (to === socket) {
          empty(to);
        }
      });
    }
  }
}

// empty sends what is gathered.
function empty(to: WebSocket): void {
  if (gathered !== "") {
    const text = gathered;
    gathered = "";
    to.send(text);
  }
}

// begin notes that a command was received, and returns what reply needs.
export function begin(id: number): number {
  pending.add(id);
  return epoch;
}

// reply sends the reply to a command. Without a link it waits for the next one; the relay gets none of an earlier session.
export function reply(id: number, began: number, text: string): void {
  if (began !== epoch) {
    return;
  }
  if (welcomed && socket !== undefined) {
    pending.delete(id);
    transmit(socket, text);
    return;
  }
  if (queued + text.length > queueLimit) {
    text = JSON.stringify({ id, error: { code: codeServer, message: "the result came while the connection to the relay was broken, and was too large to be kept" } });
  }
  queue.push({ text, id });
  queued += text.length;
}

export function notify(method: string, params: object): void {
  send(JSON.stringify({ method, params }));
}

// pair connects with a code that the user typed.
export async function pair(typed: string): Promise<void> {
  code = typed;
  await storeIdentity({ off: false });
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

// disconnect drops the link until the user connects again, also over restarts of the browser.
export async function disconnect(): Promise<void> {
  await storeIdentity({ off: true });
  const old = socket;
  forget();
  old?.close(1000, "disconnected by the user");
  become("off", "");
}

// wake connects if there is no link and nobody has to do something first; alarms call it.
export function wake(): void {
  if (socket === undefined && status.state !== "not paired" && status.state !== "off") {
    void connect();
  }
}

function forget(): void {
  if (welcomed) {
    lostAt = Date.now();
  }
  attempt++;
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
  const number = ++attempt;
  const [identity, stored, ua] = await Promise.all([loadIdentity(), chrome.storage.session.get(resumeKey), product()]);
  if (number !== attempt) {
    return;
  }
  status.address = identity.address;
  status.paired = identity.token !== "";
  if (identity.off) {
    become("off", "");
    return;
  }
  const answers = await listens(identity.address);
  if (number !== attempt) {
    return;
  }
  if (!answers) {
    ended("", identity.address);
    return;
  }
  const mine = new WebSocket(identity.address);
  socket = mine;
  if (status.state !== "waiting") {
    become("connecting", "");
  }
  let limit = setTimeout(() => mine.close(), opening);
  mine.onopen = () => {
    clearTimeout(limit);
    limit = setTimeout(() => mine.close(), opening);
    const typed = code;
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
          batch: true,
          attached: list(),
          pending: [...pending],
          settings,
        },
      }),
    );
  };
  mine.onmessage = (event: MessageEvent<string>) => {
    heard = Date.now();
    if (mine !== socket) {
      return;
    }
    let message: Command | Command[];
    try {
      message = JSON.parse(event.data) as Command | Command[];
    } catch {
      mine.close(4400, "a frame is not JSON");
      return;
    }
    const messages = Array.isArray(message) ? message : [message];
    if (welcomed && messages[0]?.method !== "ping") {
      record("relay", event.data);
    }
    for (const one of messages) {
      if (welcomed) {
        receive(one);
      } else if (one.method === "welcome") {
        clearTimeout(limit);
        welcome(one.params as unknown as Welcome, identity.address);
      }
    }
  };
  mine.onclose = (event) => {
    clearTimeout(limit);
    if (socket === mine) {
      forget();
      if (event.code === closeNotPaired || event.code === closeWrongSecret) {
        become("not paired", event.reason);
      } else {
        ended(event.reason, identity.address);
      }
    }
  };
}

function welcome(w: Welcome, address: string): void {
  welcomed = true;
  batch = w.batch === true;
  gathered = "";
  delay = firstDelay;
  status.relay = w.relay;
  void chrome.storage.session.set({ [resumeKey]: w.session });
  if (w.token !== undefined) {
    void storeIdentity({ token: w.token });
    status.paired = true;
  }
  if (!w.resumed) {
    epoch++;
    pending.clear();
  }
  const kept = w.resumed ? queue : [];
  const gone = w.resumed ? [...lost] : [];
  queue = [];
  queued = 0;
  lost.clear();
  for (const { text, id } of kept) {
    if (id === undefined) {
      send(text);
    } else {
      reply(id, epoch, text);
    }
  }
  if (gone.length > 0) {
    notify("events.lost", { tabs: gone.filter((id) => id >= 0) });
  }
  become("connected", `to ${w.relay} at ${address}`);
}

// ended waits before the next attempt.
function ended(reason: string, address: string): void {
  become("waiting", reason || `no relay answers at ${address}`);
  clearTimeout(retry);
  retry = setTimeout(() => void connect(), delay);
  delay = Math.min(delay * 2, Date.now() - lostAt < grace ? densest : longestDelay);
}

// listens tells whether something answers HTTP at an address. Chrome lists every WebSocket that does not open as an error of the
// extension, but not a request that fails.
async function listens(address: string): Promise<boolean> {
  try {
    await fetch(new URL("/", address.replace(/^ws/, "http")), { method: "HEAD", mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(opening) });
    return true;
  } catch {
    return false;
  }
}

// A relay that vanished without closing the connection, or a computer that slept: no ping comes.
setInterval(() => {
  if (welcomed && Date.now() - heard > silence) {
    reconnect();
  }
}, 5_000);

// Chrome stops a worker that called no API for 30 s, and its timers with it; then only the alarm, every 30 s, tries to connect. For
// some minutes after a link was lost the relay is likely to come back, so the worker stays.
setInterval(() => {
  if (!welcomed && Date.now() - heard < stay) {
    void chrome.runtime.getPlatformInfo();
  }
}, 20_000);

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
