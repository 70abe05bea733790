// The log that the options page shows: the last frames, by number and size bounded, payloads cut. It is in memory only.

export interface Entry {
  number: number; // counts from the start of the worker
  time: number; // ms since the epoch
  from: "relay" | "browser"; // a command, or a reply or event
  text: string; // beginning of the frame
  length: number; // of the whole frame, in UTF-16 units
}

const most = 1_000;
const longest = 300; // UTF-16 units of a frame that are kept

const ring: Entry[] = [];
let count = 0;

// watcher is called with each entry while a log view is open.
let watcher: ((entry: Entry) => void) | undefined;

export function watch(f: ((entry: Entry) => void) | undefined): void {
  watcher = f;
}

// record keeps the beginning of a frame. Pings are left out.
export function record(from: Entry["from"], text: string): void {
  const entry = { number: ++count, time: Date.now(), from, text: text.length > longest ? beginning(text) : text, length: text.length };
  ring[entry.number % most] = entry;
  watcher?.(entry);
}

// beginning copies: a slice would keep the whole string, which may be megabytes.
function beginning(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, longest)));
}

// entries returns what is kept, oldest first.
export function entries(): Entry[] {
  return ring.filter((e) => e !== undefined).sort((a, b) => a.number - b.number);
}

