// Values of a page as short text for a reader: bounded, without running getters of the page, and in one line.

import * as safe from "../safe";
import { contextOf, field, isObject, plain, typeName } from "./fiber";

const longest = 120; // characters of a string
const deepest = 3;
const widest = 12; // members of an object
const whole = 500; // characters of a value

const quote = (text: string): string =>
  '"' + text.slice(0, longest).replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\p{C}/gu, "\uFFFD") + (text.length > longest ? "…" : "") + '"';

/** show returns a value as text. */
export function show(value: unknown): string {
  let left = whole;
  const text = (shown: string): string => {
    left -= shown.length;
    return shown;
  };
  const list = (open: string, close: string, parts: Iterable<() => string>, count: number): string => {
    const out: string[] = [];
    for (const part of parts) {
      if (out.length >= widest || left < 0) break;
      out.push(part());
    }
    if (count > out.length) out.push(`… ${count - out.length} more`);
    return open + out.join(", ") + close;
  };
  const render = (value: unknown, depth: number, above: object[]): string => {
    switch (typeof value) {
      case "string": return text(quote(value));
      case "bigint": return text(`${value}n`);
      case "symbol": return text(plain(String(value)));
      case "function": return text(functionText(value));
      case "object": return value === null ? text("null") : object(value, depth, above);
    }
    return text(Object.is(value, -0) ? "-0" : String(value));
  };
  const object = (value: object, depth: number, above: object[]): string => {
    if (above.includes(value)) return text("(circular)");
    try {
      const known = special(value);
      if (known !== null) return text(known);
      const inner = [...above, value];
      if (Array.isArray(value)) {
        const { length } = value;
        if (depth >= deepest) return text(`Array(${length})`);
        return list("[", "]", range(Math.min(length, widest), (i) => member(value, i, depth, inner)), length);
      }
      if (value instanceof Map || value instanceof Set) return text(`${value instanceof Map ? "Map" : "Set"}(${sizeOf(value)})`);
      const names = Object.keys(value);
      const name = className(value);
      if (depth >= deepest) return text(`${name ? name + " " : ""}{${names.slice(0, 3).map((n) => plain(n, 30)).join(", ")}${names.length > 3 ? ", …" : ""}}`);
      return list((name ? name + " " : "") + "{", "}", range(Math.min(names.length, widest), (i) => text(plain(names[i], 40) + ": ") + member(value, names[i], depth, inner)), names.length);
    } catch { // a proxy, or a member that a page guards
      return text("(not readable)");
    }
  };
  const member = (of: object, key: PropertyKey, depth: number, above: object[]): string => {
    const property = Object.getOwnPropertyDescriptor(of, key);
    if (property && !("value" in property)) return text("(getter)");
    return render(property?.value, depth + 1, above);
  };
  const out = render(value, 0, []);
  return out.length > whole * 2 ? out.slice(0, whole * 2) + "…" : out;
}

function* range(count: number, part: (i: number) => string): Iterable<() => string> {
  for (let i = 0; i < count; i++) yield () => part(i);
}

const sizes = { map: Object.getOwnPropertyDescriptor(Map.prototype, "size")!.get!, set: Object.getOwnPropertyDescriptor(Set.prototype, "size")!.get! };
const sizeOf = (value: object): number => (value instanceof Map ? sizes.map : sizes.set).call(value) as number;

function functionText(value: unknown): string {
  const name = field(value, "name");
  return typeof name === "string" && name !== "" ? `ƒ ${plain(name, 40)}()` : "ƒ ()";
}

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return "";
  const name = field(field(prototype, "constructor"), "name");
  return typeof name === "string" && name !== "Object" ? plain(name, 40) : "";
}

// special returns what is better said in its own way; null for other objects.
function special(value: object): string | null {
  const kind = field(value, "$$typeof");
  if (kind !== undefined) {
    const element = typeof kind === "symbol" && /^react\.(transitional\.)?element$/.test(kind.description ?? "");
    if (element) return `<${typeName(field(value, "type"))} />`;
    const name = typeof kind === "symbol" ? (kind.description ?? "") : "";
    if (/context|provider|consumer/.test(name)) return typeName(contextOf(value));
    return typeName(value);
  }
  if (value instanceof Node) return value instanceof Element ? elementText(value) : className(value);
  if (value instanceof Date) return Date.prototype.toISOString.call(value);
  if (value instanceof RegExp) return plain(String(Object.getOwnPropertyDescriptor(RegExp.prototype, "source")?.get?.call(value)));
  if (value instanceof Promise) {
    const status = field(value, "status");
    return typeof status === "string" ? `Promise (${plain(status, 20)})` : "Promise";
  }
  if (value instanceof Error) {
    const message = field(value, "message");
    return `${className(value) || "Error"}: ${typeof message === "string" ? plain(message) : ""}`;
  }
  if (value === window) return "window";
  return null;
}

/** elementText is how an element is called: tag, id and first classes. */
export function elementText(el: Element): string {
  const id = safe.id(el);
  const classes = [...safe.classList(el)].slice(0, 2).map((name) => "." + name);
  return plain(`<${safe.localName(el)}${id ? "#" + id : ""}${classes.join("")}>`);
}

/** Entry is a named value. */
export interface Entry { name: string; value: string }

/** entries returns the members of an object, as far as a reader wants them. */
export function entries(of: unknown, without: string[] = []): { list: Entry[]; more: number } {
  const list: Entry[] = [];
  let more = 0;
  try {
    if (!isObject(of)) return { list, more };
    for (const name of Object.keys(of)) {
      if (without.includes(name)) continue;
      if (list.length >= 60) {
        more++;
        continue;
      }
      const property = Object.getOwnPropertyDescriptor(of, name);
      list.push({ name: plain(name, 60), value: property && !("value" in property) ? "(getter)" : show(property?.value) });
    }
  } catch { // a proxy
    list.push({ name: "…", value: "(not readable)" });
  }
  return { list, more };
}
