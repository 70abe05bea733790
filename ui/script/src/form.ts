// Blob, File and FormData of the web, for forms with files that page.request sends.

import { bytesOfText } from "./bytes";
import { known } from "./known";

type Part = string | ArrayBuffer | ArrayBufferView | Blob;

export class Blob {
  readonly type: string;
  private readonly content: Uint8Array;

  constructor(parts: Part[] = [], options: { type?: string } = {}) {
    if (typeof parts !== "object" || parts === null || !(Symbol.iterator in parts)) throw new TypeError(`${new.target.name} needs a list of parts: new ${new.target.name}(["text"], ...)`);
    this.content = joined([...parts].map(bytesOfPart));
    this.type = String(options.type ?? "").toLowerCase();
  }

  get size(): number {
    return this.content.length;
  }

  async bytes(): Promise<Uint8Array> {
    return this.content.slice();
  }

  async arrayBuffer(): Promise<ArrayBufferLike> {
    return this.content.slice().buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.content);
  }

  slice(start = 0, end = this.size, type = ""): Blob {
    return new Blob([this.content.slice(start, end)], { type });
  }

  // contentOf is the content without a copy and without a promise.
  static contentOf(blob: Blob): Uint8Array {
    return blob.content;
  }
}

export class File extends Blob {
  readonly name: string;
  readonly lastModified: number;

  constructor(parts: Part[], name: string, options: { type?: string; lastModified?: number } = {}) {
    super(parts, options);
    if (name === undefined) throw new TypeError("File needs a name: new File(parts, name)");
    this.name = String(name);
    this.lastModified = options.lastModified ?? Date.now();
  }
}

export class FormData {
  private list: [string, string | File][] = [];

  append(name: string, value: unknown, filename?: string): void {
    this.list.push([String(name), entryOf(value, filename)]);
  }

  // set takes the place of the first field of this name, and removes the others.
  set(name: string, value: unknown, filename?: string): void {
    const at = this.list.findIndex(([have]) => have === String(name));
    if (at < 0) return this.append(name, value, filename);
    this.list[at] = [String(name), entryOf(value, filename)];
    this.list = this.list.filter(([have], index) => index <= at || have !== String(name));
  }

  get(name: string): string | File | null {
    return this.getAll(name)[0] ?? null;
  }

  getAll(name: string): (string | File)[] {
    return this.list.filter(([have]) => have === String(name)).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.getAll(name).length > 0;
  }

  delete(name: string): void {
    this.list = this.list.filter(([have]) => have !== String(name));
  }

  entries(): IterableIterator<[string, string | File]> {
    return this.list.values();
  }

  keys(): IterableIterator<string> {
    return this.list.map(([name]) => name).values();
  }

  values(): IterableIterator<string | File> {
    return this.list.map(([, value]) => value).values();
  }

  forEach(callback: (value: string | File, name: string, form: FormData) => void): void {
    for (const [name, value] of this.list) callback(value, name, this);
  }

  [Symbol.iterator](): IterableIterator<[string, string | File]> {
    return this.entries();
  }
}

function entryOf(value: unknown, filename: string | undefined): string | File {
  if (!(value instanceof Blob)) return String(value);
  if (value instanceof File && filename === undefined) return value;
  return new File([value], filename ?? "blob", { type: value.type });
}

function bytesOfPart(part: Part): Uint8Array {
  if (part instanceof Blob) return Blob.contentOf(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
  return bytesOfText(String(part));
}

// joined puts pieces of bytes together.
export function joined(list: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(list.reduce((sum, bytes) => sum + bytes.length, 0));
  let at = 0;
  for (const bytes of list) {
    out.set(bytes, at);
    at += bytes.length;
  }
  return out;
}

known(FormData, "a FormData");
