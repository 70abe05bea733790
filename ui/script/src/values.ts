// Arguments that go from code to the page, as JavaScript text, and results that come back.

import type { JSHandle } from "./handle";

// isHandle marks handles, so that this file needs none of their code.
export const isHandle = Symbol("handle");

export interface Passed {
  args: string; // JavaScript text of an array, in which $n stands for the nth handle
  handles: { id?: number; ref?: string }[];
}

// pass writes arguments as JavaScript text.
export function pass(list: unknown[]): Passed {
  const handles: Passed["handles"] = [];
  const seen = new Set<object>();
  const write = (value: unknown): string => {
    switch (typeof value) {
      case "undefined": return "undefined";
      case "string": return text(value);
      case "boolean": return String(value);
      case "number": return Object.is(value, -0) ? "-0" : String(value);
      case "bigint": return `${value}n`;
      case "symbol": throw new TypeError("A symbol cannot be passed to the page");
      case "function": throw new TypeError("A function cannot be passed to the page as an argument: pass its text, define it inside of the evaluated function, or give the page a function of the code with page.exposeFunction(name, function)");
    }
    if (value === null) return "null";
    const handle = (value as { [isHandle]?: JSHandle })[isHandle];
    if (handle) {
      if (handle.isPlain) return write(handle.plainValue);
      handles.push(handle.argument());
      return `$${handles.length - 1}`;
    }
    return writeObject(value as object);
  };
  const writeObject = (value: object): string => {
    if (seen.has(value)) throw new TypeError("A value that contains itself cannot be passed to the page");
    seen.add(value);
    const out = ((): string => {
      if (value instanceof Date) return `new Date(${value.getTime()})`;
      if (value instanceof RegExp) return `new RegExp(${text(value.source)},${text(value.flags)})`;
      if (value instanceof URL) return `new URL(${text(value.href)})`;
      if (value instanceof Map) return `new Map(${write([...value])})`;
      if (value instanceof Set) return `new Set(${write([...value])})`;
      if (value instanceof Error) return `Object.assign(new Error(${text(value.message)}),{name:${text(value.name)},stack:${text(String(value.stack))}})`;
      if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
        return `new ${value.constructor.name in globalThis ? arrayName(value) : "Uint8Array"}([${Array.from(value as unknown as ArrayLike<number | bigint>, write).join(",")}])`;
      }
      if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
      const json = (value as { toJSON?: () => unknown }).toJSON;
      if (typeof json === "function") return write(json.call(value));
      return `{${Object.entries(value).map(([key, item]) => `[${text(key)}]:${write(item)}`).join(",")}}`;
    })();
    seen.delete(value);
    return out;
  };
  return { args: `[${list.map(write).join(",")}]`, handles };
}

// arrayName is the name of a typed array's class that every page has.
function arrayName(value: object): string {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name.endsWith("Array") ? name : "Uint8Array";
}

// text writes a text as JavaScript. Line separators are ends of lines in old engines.
function text(value: string): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"));
}

export interface Evaluated {
  value?: unknown;
  special?: string;
  handle?: ObjectInfo;
}

export interface ObjectInfo {
  id: number;
  type: string;
  subtype?: string;
  className?: string;
  description?: string;
  ref?: string;
}

// encoder is the text of the function that writes, in the page, what a function returned: JSON cannot tell undefined, NaN, a
// BigInt, a Date, a RegExp or an Error from other values. Those become objects whose only member is the mark, and own objects with
// that member are marked themselves. A value inside of itself is marked with the depth of the outer one.
const mark = "\u2063usher";
//
// Nothing is assigned in it, so that it can run where V8 allows no side effects; there, object is the one that makes of an object the list
// of its members.
const encoder = (object: string): string => `((mark) => {
  const marked = (kind, ...parts) => ({[mark]: [kind, ...parts]});
  const within = (value, open) => {
    for (let at = open; at !== null; at = at.up) if (at.value === value) return at;
    return null;
  };
  const write = (value, open) => {
    switch (typeof value) {
      case "undefined": case "function": case "symbol": return marked("undefined");
      case "bigint": return marked("bigint", String(value));
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : marked("number", Object.is(value, -0) ? "-0" : String(value));
    }
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Date) return marked("date", value.getTime());
    if (value instanceof RegExp) return marked("regexp", value.source, value.flags);
    if (value instanceof URL) return marked("url", value.href);
    if (value instanceof Error) return marked("error", value.name, value.message, String(value.stack));
    if (typeof Node === "function" && value instanceof Node) return marked("text", "ref: <Node>");
    if (value === globalThis || value.window === value) return marked("text", "ref: <Window>");
    const json = ofJSON(value);
    if (json !== value) return write(json, open);
    const outer = within(value, open);
    if (outer !== null) return marked("cycle", outer.depth);
    const inside = {value, depth: open === null ? 0 : open.depth + 1, up: open};
    return Array.isArray(value) ? Array.from(value, (item) => write(item, inside)) : writeObject(value, inside);
  };
  const ofJSON = (value) => {
    try {
      return !Array.isArray(value) && typeof value.toJSON === "function" && !ArrayBuffer.isView(value) ? value.toJSON() : value;
    } catch {
      return value; // as Playwright takes it
    }
  };
  const writeObject = (value, open) => {
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return marked("array", Object.prototype.toString.call(value).slice(8, -1), Array.from(value, (item) => write(item, open)));
    return (${object})(value, Object.keys(value).filter((key) => typeof value[key] !== "function"), open);
  };
  return (value) => write(value, null);
})(${JSON.stringify(mark)})`;

const assigning = encoder(`(value, keys, open) => {
    const out = {};
    for (const key of keys) Object.defineProperty(out, key, {value: write(value[key], open), enumerable: true, configurable: true, writable: true});
    return Object.hasOwn(out, mark) ? marked("object", out) : out;
  }`);
const listing = encoder(`(value, keys, open) => marked("members", keys.map((key) => [key, write(value[key], open)]))`);

// encoded returns a function's text that calls the function and encodes what it returns.
export function encoded(source: string): string {
  return `async (...args) => ${assigning}(await (${source}\n)(...args))`;
}

// encodedPure is encoded for a page in which scripts may have no side effects. A promise is one, so nothing is awaited.
export function encodedPure(source: string): string {
  return `(...args) => ${listing}((${source}\n)(...args))`;
}

// decoded is the reverse of the encoder. open are the objects around the value, from the outermost.
export function decoded(value: unknown, open: object[] = []): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return within(value, open, () => value.forEach((item, index) => (value[index] = decoded(item, open))));
  const parts = (value as Record<string, unknown>)[mark];
  if (Array.isArray(parts)) return unmarked(parts, open);
  return decodedObject(value as Record<string, unknown>, open);
}

function within<T extends object>(value: T, open: object[], f: () => void): T {
  open.push(value);
  f();
  open.pop();
  return value;
}

function decodedObject(value: Record<string, unknown>, open: object[]): Record<string, unknown> {
  return within(value, open, () => {
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (typeof inner === "object" && inner !== null) value[key] = decoded(inner, open);
    }
  });
}

function decodedMembers(members: [string, unknown][], open: object[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  return within(out, open, () => {
    for (const [key, value] of members) {
      Object.defineProperty(out, key, { value: decoded(value, open), enumerable: true, configurable: true, writable: true });
    }
  });
}

function unmarked([kind, first, second, third]: unknown[], open: object[]): unknown {
  switch (kind) {
    case "bigint": return BigInt(first as string);
    case "number": return Number(first);
    case "date": return new Date(first as number);
    case "regexp": return new RegExp(first as string, second as string);
    case "url": return new URL(first as string);
    case "error": return Object.assign(new Error(second as string), { name: first as string, stack: third as string });
    case "text": return first;
    case "cycle": return open[first as number];
    case "array": return typedArray(first as string, decoded(second) as number[]);
    case "object": return decodedObject(first as Record<string, unknown>, open);
    case "members": return decodedMembers(first as [string, unknown][], open);
  }
  return undefined;
}

function typedArray(name: string, items: number[]): unknown {
  const make = (globalThis as unknown as Record<string, { from?: (items: number[]) => unknown } | undefined>)[name];
  return make?.from ? make.from(items) : items;
}

// result is the value of an evaluation.
export function result(from: Evaluated): unknown {
  switch (from.special) {
    case undefined: return from.value;
    case "undefined": return undefined;
    case "NaN": return NaN;
    case "Infinity": return Infinity;
    case "-Infinity": return -Infinity;
    case "-0": return -0;
  }
  return BigInt(from.special.replace(/n$/, ""));
}

export interface Source {
  source: string;
  function: boolean;
}

// sourceOf is the text of what is to be evaluated. A text that is a function is called, as Playwright does.
export function sourceOf(what: unknown, method: string): Source {
  if (typeof what === "function") return { source: functionText(what.toString()), function: true };
  if (typeof what !== "string") throw new TypeError(`${method} needs a function or a text of JavaScript, not ${what === null ? "null" : typeof what}`);
  return { source: what, function: isFunction(what) };
}

// isFunction reports whether a text is a function.
export function isFunction(text: string): boolean {
  return /^\s*(async(?=[\s(])\s*)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/.test(text);
}

// functionText writes a method of an object ("name() {...}") as a function.
function functionText(source: string): string {
  if (/^(async\s*)?(function\b|\(|[\w$]+\s*=>)/.test(source)) return source;
  return source.replace(/^(async\s+)?/, "$1function ");
}
