// The storage of an origin: what `storage` reads and writes, and what `state` saves and loads.
//
// It is a script of its own, because few sessions need it. It is evaluated in the isolated world of a frame, or in an
// empty page of the origin; a page can replace nothing that it uses.

import { decode, encode, isPlain, Unsupported } from "./clone";

type Kind = "local" | "session";
type Entry = { name: string; value: string };

type Index = { name: string; keyPath?: string; keyPathArray?: string[]; unique: boolean; multiEntry: boolean };
type Row = { key?: unknown; keyEncoded?: unknown; value?: unknown; valueEncoded?: unknown };
type Store = { name: string; keyPath?: string; keyPathArray?: string[]; autoIncrement: boolean; indexes: Index[]; records: Row[] };
type Database = { name: string; version: number; stores: Store[] };

type Content = { localStorage?: Entry[]; sessionStorage?: Entry[]; indexedDB?: Database[] };

const area = (kind: Kind): Storage => (kind === "local" ? localStorage : sessionStorage);

function entries(of: Storage): Entry[] {
  const out: Entry[] = [];
  for (let i = 0; i < of.length; i++) {
    const name = of.key(i);
    if (name !== null) out.push({ name, value: of.getItem(name) ?? "" });
  }
  return out;
}

/** origin returns the origin that the storage belongs to, and whether it has any: a sandboxed frame has none. */
export function origin(): { origin: string; refused?: string } {
  try {
    void localStorage;
    return { origin: location.origin };
  } catch (e) {
    return { origin: location.origin, refused: String((e as Error).message) };
  }
}

export function list(args: { kind: Kind }): { origin: string; entries: Entry[] } {
  return { origin: location.origin, entries: entries(area(args.kind)) };
}

export function get(args: { kind: Kind; key: string }): { origin: string; value: string | null } {
  return { origin: location.origin, value: area(args.kind).getItem(args.key) };
}

export function set(args: { kind: Kind; key: string; value: string }): { origin: string } {
  area(args.kind).setItem(args.key, args.value);
  return { origin: location.origin };
}

export function remove(args: { kind: Kind; key: string }): { origin: string; removed: boolean } {
  const storage = area(args.kind);
  const removed = storage.getItem(args.key) !== null;
  storage.removeItem(args.key);
  return { origin: location.origin, removed };
}

export function clear(args: { kind: Kind }): { origin: string; removed: number } {
  const storage = area(args.kind);
  const removed = storage.length;
  storage.clear();
  return { origin: location.origin, removed };
}

/** collect reads everything. lost names what JSON has no form for. */
export async function collect(): Promise<Content & { origin: string; lost: string[] }> {
  const lost: string[] = [];
  const found: Database[] = [];
  for (const info of await indexedDB.databases()) {
    if (info.name !== undefined && info.version) found.push(await readDatabase(info.name, lost));
  }
  return {
    origin: location.origin, localStorage: entries(localStorage), sessionStorage: entries(sessionStorage), indexedDB: found, lost,
  };
}

/** restore adds to what is there, and replaces what has the same name or key. failed says what could not be written. */
export async function restore(content: Content): Promise<{ origin: string; failed: string[] }> {
  const failed: string[] = [];
  const write = (to: Storage, what: Entry[] | undefined) => {
    for (const { name, value } of what ?? []) {
      try {
        to.setItem(name, value);
      } catch (e) {
        failed.push(`${to === localStorage ? "localStorage" : "sessionStorage"} ${name}: ${(e as Error).message}`);
      }
    }
  };
  write(localStorage, content.localStorage);
  write(sessionStorage, content.sessionStorage);
  for (const database of content.indexedDB ?? []) {
    try {
      await writeDatabase(database);
    } catch (e) {
      failed.push(`IndexedDB ${database.name}: ${(e as Error)?.message ?? e}`);
    }
  }
  return { origin: location.origin, failed };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** open opens a database. upgrade makes its stores where that version is new; without it a missing database is an error. */
function open(name: string, version?: number, upgrade?: (db: IDBDatabase) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = version === undefined ? indexedDB.open(name) : indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      if (upgrade) upgrade(request.result);
      else request.transaction?.abort();
    };
    request.onblocked = () => reject(new Error("a page has an older version of it open"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => db.close();
      resolve(db);
    };
  });
}

async function readDatabase(name: string, lost: string[]): Promise<Database> {
  const db = await open(name);
  try {
    const names = [...db.objectStoreNames];
    const out: Database = { name, version: db.version, stores: [] };
    if (names.length === 0) return out;
    const transaction = db.transaction(names, "readonly");
    const read = names.map(async (store) => {
      const from = transaction.objectStore(store);
      const [keys, values] = await Promise.all([done(from.getAllKeys()), done(from.getAll())]);
      return { from, keys, values };
    });
    for (const { from, keys, values } of await Promise.all(read)) out.stores.push(storeOf(name, from, keys, values, lost));
    return out;
  } finally {
    db.close();
  }
}

function pathOf(path: string | string[] | null): { keyPath?: string; keyPathArray?: string[] } {
  if (typeof path === "string") return { keyPath: path };
  return path === null ? {} : { keyPathArray: [...path] };
}

function storeOf(database: string, from: IDBObjectStore, keys: IDBValidKey[], values: unknown[], lost: string[]): Store {
  const records: Row[] = [];
  keys.forEach((key, i) => {
    try {
      const row: Row = from.keyPath === null ? half("key", key) : {};
      records.push(Object.assign(row, half("value", values[i])));
    } catch (e) {
      if (!(e instanceof Unsupported)) throw e;
      lost.push(`${database}/${from.name}: ${e.message}`);
    }
  });
  const indexes = [...from.indexNames].map((name): Index => {
    const index = from.index(name);
    return { name: index.name, ...pathOf(index.keyPath), unique: index.unique, multiEntry: index.multiEntry };
  });
  return { name: from.name, ...pathOf(from.keyPath), autoIncrement: from.autoIncrement, indexes, records };
}

function half(name: "key" | "value", value: unknown): Row {
  return isPlain(value) ? { [name]: value } : { [name + "Encoded"]: encode(value) };
}

function whole(row: Row, name: "key" | "value"): unknown {
  return name in row ? row[name] : decode(row[`${name}Encoded`]);
}

function make(db: IDBDatabase, stores: Store[]): void {
  for (const store of stores) {
    if (db.objectStoreNames.contains(store.name)) continue;
    const to = db.createObjectStore(store.name, { autoIncrement: store.autoIncrement, keyPath: store.keyPathArray ?? store.keyPath ?? null });
    for (const index of store.indexes ?? []) {
      to.createIndex(index.name, index.keyPathArray ?? index.keyPath ?? "", { unique: index.unique, multiEntry: index.multiEntry });
    }
  }
}

async function writeDatabase(database: Database): Promise<void> {
  const there = (await indexedDB.databases()).find((info) => info.name === database.name);
  const version = Math.max(database.version, there?.version ?? 0);
  const db = await open(database.name, version, (db) => make(db, database.stores));
  try {
    const missing = database.stores.filter((store) => !db.objectStoreNames.contains(store.name));
    if (missing.length > 0) throw new Error(`version ${db.version} of it has no store ${missing.map((store) => store.name).join(", ")}`);
    if (database.stores.length === 0) return;
    await writeRecords(db, database.stores);
  } finally {
    db.close();
  }
}

/** writeRecords writes all records or none. */
function writeRecords(db: IDBDatabase, stores: Store[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(stores.map((store) => store.name), "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the write was aborted"));
    try {
      for (const store of stores) {
        const to = transaction.objectStore(store.name);
        for (const row of store.records) {
          const outside = to.keyPath === null && ("key" in row || "keyEncoded" in row);
          if (outside) to.put(whole(row, "value"), whole(row, "key") as IDBValidKey);
          else to.put(whole(row, "value"));
        }
      }
    } catch (e) {
      reject(e);
      transaction.abort();
    }
  });
}
