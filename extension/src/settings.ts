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
  relay: string; // address of the relay's /extension that the user set; empty: that of relay.json
  off: boolean; // the user disconnected
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

// change changes settings. The copy changes at once, so that a second change right after the first one does not undo it.
export function change(some: Partial<Omit<Settings, "shared">>): void {
  settings = { ...settings, ...some };
  const { shared: _, ...kept } = settings;
  void chrome.storage.local.set({ [settingsKey]: kept });
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

const nobody: Identity = { relay: "", off: false, install: "", token: "" };

// Config is relay.json beside the worker, which `usher extension` writes.
interface Config {
  relay?: string; // the relay's address where the user has set none
  token?: string; // of a pairing that usher made itself, for a throw-away profile
}

// config cannot change while the worker runs: Chrome has to load the extension again.
const config: Promise<Config> = fetch(chrome.runtime.getURL("relay.json")).then((r) => r.json());

// loadIdentity reads the identity, with the address to use, and makes the installation's id if there is none.
export async function loadIdentity(): Promise<Identity & { address: string }> {
  const [stored, written] = await Promise.all([chrome.storage.local.get(identityKey), config]);
  const identity: Identity = { ...nobody, ...(stored[identityKey] as Partial<Identity> | undefined) };
  if (identity.install === "") {
    identity.install = crypto.randomUUID();
    await storeIdentity({ install: identity.install });
  }
  return { ...identity, token: identity.token || written.token || "", address: identity.relay || written.relay || defaultRelay };
}

// storeIdentity changes some of the identity.
export async function storeIdentity(change: Partial<Identity>): Promise<void> {
  const stored = await chrome.storage.local.get(identityKey);
  await chrome.storage.local.set({ [identityKey]: { ...nobody, ...(stored[identityKey] as Partial<Identity> | undefined), ...change } });
}

// relayAddress makes the address of the relay of what a person typed: a port, host and port, or a WebSocket address. It returns nothing
// for what is not on this machine: whoever has the link controls the browser.
export function relayAddress(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(/^\d+$/.test(text) ? `ws://127.0.0.1:${text}` : /^wss?:/.test(text) ? text : `ws://${text}`);
  if (url === null || url.protocol !== "ws:" || !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) {
    return undefined;
  }
  return `ws://${url.host}/extension`;
}
