// The tabs to which this extension has attached the debugger. The list is also in storage.session: Chrome keeps the attachments when
// it stops the worker, and the worker that follows must know them.

import { Failure, type Attached } from "./protocol";

const key = "attached";
const protocolVersion = "1.3";

export interface Attachment {
  targetId: string;
  used: number; // ms since the epoch of the last command
}

export const attachments = new Map<number, Attachment>();

// onAttachments is called after each change of the list.
let changed: () => void = () => {};
export function onAttachments(f: () => void): void {
  changed = f;
}

function store(): void {
  void chrome.storage.session.set({ [key]: list() });
  changed();
}

export function list(): Attached[] {
  return [...attachments].map(([tabId, { targetId }]) => ({ tabId, targetId }));
}

// loadAttachments reads the list and keeps what is still attached: a tab whose debugger answers us.
export async function loadAttachments(): Promise<void> {
  const { [key]: stored } = await chrome.storage.session.get(key);
  const before = Array.isArray(stored) ? (stored as Attached[]) : [];
  const targets = before.length === 0 ? [] : await chrome.debugger.getTargets();
  for (const { tabId } of before) {
    const target = targets.find((t) => t.tabId === tabId);
    if (target !== undefined && target.attached && (await ours(tabId))) {
      attachments.set(tabId, { targetId: target.id, used: Date.now() });
    }
  }
  if (before.length !== attachments.size) {
    store();
  }
}

// ours tells whether this extension is attached to a tab. A paused page does not delay the answer: it comes from the browser process.
async function ours(tabId: number): Promise<boolean> {
  try {
    await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo");
    return true;
  } catch (e) {
    return !/not attached/i.test(String(e));
  }
}

const attaching = new Map<number, Promise<Attached>>();

// attach attaches the debugger to a tab and returns its target. To a tab that is already ours nothing is done.
export function attach(tabId: number): Promise<Attached> {
  let pending = attaching.get(tabId);
  if (pending === undefined) {
    pending = attachOnce(tabId).finally(() => attaching.delete(tabId));
    attaching.set(tabId, pending);
  }
  return pending;
}

async function attachOnce(tabId: number): Promise<Attached> {
  const have = attachments.get(tabId);
  if (have !== undefined) {
    return { tabId, targetId: have.targetId };
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await chrome.debugger.attach({ tabId }, protocolVersion);
      break;
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      if (/already attached/i.test(message)) {
        if (await ours(tabId)) {
          break;
        }
        throw new Failure(`tab ${tabId} is being debugged by DevTools or another extension: ${message}`);
      }
      // A frame of another extension in the page blocks it; such frames often are there for a moment only.
      if (attempt < 3 && /chrome-extension:\/\/|different extension/i.test(message)) {
        await new Promise((done) => setTimeout(done, 100 * attempt));
        continue;
      }
      throw new Failure(`attach to tab ${tabId}: ${message}`);
    }
  }
  const target = (await chrome.debugger.getTargets()).find((t) => t.tabId === tabId);
  if (target === undefined) {
    throw new Failure(`tab ${tabId} was closed while the debugger was being attached`);
  }
  attachments.set(tabId, { targetId: target.id, used: Date.now() });
  store();
  return { tabId, targetId: target.id };
}

// detach detaches the debugger from a tab; it is no error if it was not attached.
export async function detach(tabId: number): Promise<void> {
  try {
    await chrome.debugger.detach({ tabId });
  } catch (e) {
    const message = e instanceof Error ? e.message : String(e);
    if (!/not attached|no tab with/i.test(message)) {
      throw new Failure(`detach from tab ${tabId}: ${message}`);
    }
  }
  forget(tabId);
}

// forget takes a tab from the list, to which the debugger is no longer attached.
export function forget(tabId: number): void {
  if (attachments.delete(tabId)) {
    store();
  }
  for (const tell of leaving.get(tabId) ?? []) {
    tell();
  }
  leaving.delete(tabId);
}

// leaving are those who wait until a tab is forgotten.
const leaving = new Map<number, (() => void)[]>();

// left waits until a tab is forgotten, to which Chrome says that the debugger is not attached: its notice of that comes by another way
// than the replies. Without one after limit ms the result is false: Chrome gave none, and the list was wrong.
export function left(tabId: number, limit: number): Promise<boolean> {
  if (!attachments.has(tabId)) {
    return Promise.resolve(true);
  }
  return new Promise((done) => {
    setTimeout(() => done(false), limit);
    leaving.set(tabId, [...(leaving.get(tabId) ?? []), () => done(true)]);
  });
}
