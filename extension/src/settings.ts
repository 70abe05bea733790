// The settings, which the popup changes. They are kept in chrome.storage; the worker reads a copy in memory, which
// storage.onChanged keeps true, because a read of the storage costs 0.3 ms.

export type Mode = "auto" | "manual" | "attached-only";

export interface Settings {
  mode: Mode;
  readOnly: boolean;
  lockUrl: boolean;
  noNewTabs: boolean;
  instructions: string;
  ghostCursor: boolean;
  idleDetachMinutes: number; // 0: never
  shared: number[]; // tab ids; in storage.session, because ids are those of one run of the browser
}

export const defaults: Settings = {
  mode: "auto",
  readOnly: false,
  lockUrl: false,
  noNewTabs: false,
  instructions: "",
  ghostCursor: false,
  idleDetachMinutes: 10,
  shared: [],
};

export const defaultRelay = "ws://127.0.0.1:19222/extension";

// Identity is what storage.local has besides the settings.
export interface Identity {
  relay: string; // address of the relay's /extension
  install: string; // random id of this installation
  token: string; // from pairing; empty if not paired
}

// settingsKey, sharedKey and identityKey are the names in storage.local, storage.session and storage.local.
export const settingsKey = "settings";
export const sharedKey = "shared";
export const identityKey = "identity";

// valid makes settings of what the storage has, with the default for what is missing or of another type.
export function valid(stored: unknown, shared: unknown): Settings {
  const from = (typeof stored === "object" && stored !== null ? stored : {}) as Partial<Record<keyof Settings, unknown>>;
  const is = (key: "readOnly" | "lockUrl" | "noNewTabs" | "ghostCursor") => (typeof from[key] === "boolean" ? (from[key] as boolean) : defaults[key]);
  const minutes = from.idleDetachMinutes;
  return {
    mode: from.mode === "manual" || from.mode === "attached-only" ? from.mode : "auto",
    readOnly: is("readOnly"),
    lockUrl: is("lockUrl"),
    noNewTabs: is("noNewTabs"),
    instructions: typeof from.instructions === "string" ? from.instructions.slice(0, 10_000) : "",
    ghostCursor: is("ghostCursor"),
    idleDetachMinutes: typeof minutes === "number" && minutes >= 0 && minutes <= 60 ? minutes : defaults.idleDetachMinutes,
    shared: Array.isArray(shared) ? shared.filter((id): id is number => Number.isInteger(id)) : [],
  };
}

// settings is the worker's copy.
export let settings: Settings = defaults;

// loadSettings reads the storage; call it once, before anything uses settings.
export async function loadSettings(): Promise<void> {
  const [local, session] = await Promise.all([chrome.storage.local.get(settingsKey), chrome.storage.session.get(sharedKey)]);
  settings = valid(local[settingsKey], session[sharedKey]);
}

// onSettings calls changed after each change, with the settings before it.
export function onSettings(changed: (before: Settings) => void): void {
  chrome.storage.onChanged.addListener((changes) => {
    const stored = changes[settingsKey];
    const shared = changes[sharedKey];
    if (stored === undefined && shared === undefined) {
      return;
    }
    const before = settings;
    const { shared: _, ...kept } = settings;
    settings = valid(stored === undefined ? kept : stored.newValue, shared === undefined ? settings.shared : shared.newValue);
    changed(before);
  });
}

// share puts tabs into the list of shared ones, or takes them out.
export async function share(tabIds: number[], on: boolean): Promise<void> {
  const { [sharedKey]: stored } = await chrome.storage.session.get(sharedKey);
  const list = new Set(valid({}, stored).shared);
  for (const id of tabIds) {
    if (on) {
      list.add(id);
    } else {
      list.delete(id);
    }
  }
  await chrome.storage.session.set({ [sharedKey]: [...list] });
}

// loadIdentity reads the identity and makes the installation's id if there is none. The file relay.json beside the worker, written
// by `usher extension`, has the address of the relay where the user has set none, and a pairing code for a throw-away profile.
export async function loadIdentity(): Promise<Identity & { code: string }> {
  const [stored, written] = await Promise.all([
    chrome.storage.local.get(identityKey),
    fetch(chrome.runtime.getURL("relay.json")).then((r) => r.json() as Promise<{ relay?: string; code?: string }>),
  ]);
  const have = (stored[identityKey] ?? {}) as Partial<Identity>;
  const identity: Identity = { relay: have.relay ?? "", install: have.install ?? "", token: have.token ?? "" };
  if (identity.install === "") {
    identity.install = crypto.randomUUID();
    await chrome.storage.local.set({ [identityKey]: identity });
  }
  const code = identity.token === "" ? (written.code ?? "") : "";
  return { ...identity, relay: identity.relay || written.relay || defaultRelay, code };
}

// storeIdentity changes some of the identity. An empty relay means the one of relay.json.
export async function storeIdentity(change: Partial<Identity>): Promise<void> {
  const stored = await chrome.storage.local.get(identityKey);
  await chrome.storage.local.set({ [identityKey]: { relay: "", install: "", token: "", ...(stored[identityKey] as object | undefined), ...change } });
}
