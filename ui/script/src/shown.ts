// What is reported of the value that code returned: pictures are shown, and objects of ours are named rather than listed.

import { base64Of, type Bytes } from "./bytes";
import { CDPSession } from "./cdp";
import { Browser, Context, Target } from "./context";
import { Frame } from "./frame";
import { ElementHandle, JSHandle } from "./handle";
import type { Host } from "./host";
import { FunctionLocator, Locator } from "./locator";
import { ConsoleMessage, Dialog, Download, FileChooser, Request, Response } from "./messages";
import { Page } from "./page";
import { APIRequestContext, APIResponse } from "./request";
import { Tab } from "./tab";

// Labelled is a screenshot with labels, and the list of these.
export class Labelled {
  constructor(readonly image: Bytes, readonly mimeType: string, readonly text: string) {}
}

// named is an object of ours in words; undefined for any other.
function named(value: object): string | undefined {
  if (value instanceof Page) return `[page ${value.isClosed() ? "(closed)" : value.url()}]`;
  if (value instanceof Frame) return `[frame ${value.url()}]`;
  if (value instanceof Context) return "[the context]";
  if (value instanceof Browser) return "[the browser]";
  if (value instanceof Tab) return `[tab ${value.url()}]`;
  if (value instanceof Target) return `[target ${value.url()}]`;
  if (value instanceof CDPSession) return "[a CDP session]";
  if (value instanceof Locator) return `[locator ${value.selector}]`;
  if (value instanceof FunctionLocator) return "[locator of a function]";
  if (value instanceof JSHandle) return `[JSHandle@${value instanceof ElementHandle ? value.ref : value.kind}: return what you need of it, such as await handle.jsonValue()]`;
  if (value instanceof Response) return `[response ${value.status()} ${value.url()}]`;
  if (value instanceof Request) return `[request ${value.method()} ${value.url()}]`;
  if (value instanceof APIResponse) return `[response ${value.status()} ${value.url()}: return what you need of it, such as await response.json()]`;
  if (value instanceof APIRequestContext) return "[request of the context]";
  if (value instanceof Dialog) return `[dialog ${value.type()} ${JSON.stringify(value.message())}]`;
  if (value instanceof ConsoleMessage) return `[console ${value.type()} ${JSON.stringify(value.text())}]`;
  if (value instanceof Download) return `[download ${value.suggestedFilename()}: keep it with saveAs(path)]`;
  if (value instanceof FileChooser) return "[a file chooser]";
  return undefined;
}

// The console writes them so, too.
const inspected = Symbol.for("nodejs.util.inspect.custom");
for (const type of [Page, Frame, Context, Browser, Tab, Target, CDPSession, Locator, FunctionLocator, JSHandle, Response, Request, APIResponse, APIRequestContext, Dialog, ConsoleMessage, Download, FileChooser]) {
  Object.defineProperty(type.prototype, inspected, { value(this: object) { return named(this); }, configurable: true });
}

// mediaType is the type of a file, by its first bytes.
function mediaType(bytes: Uint8Array): string | undefined {
  const begins = (...first: number[]): boolean => first.every((byte, i) => bytes[i] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57) return "image/webp";
  if (begins(0x25, 0x50, 0x44, 0x46)) return "application/pdf";
  return undefined;
}

// isBytes tells buffers from arrays of numbers: an array that code made is data.
function isBytes(value: object): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

// shown shows the pictures in a value, and returns what there is to say of the value; undefined if a picture says all.
export function shown(host: Host, value: unknown): unknown {
  const seen = new Map<object, unknown>();
  const picture = (bytes: Uint8Array, type: string): void => host.display({ type: "image", data: base64Of(bytes), mimeType: type });
  const bytes = (value: Uint8Array, whole: boolean): unknown => {
    const type = mediaType(value);
    if (!type?.startsWith("image/")) return `[${type ?? "bytes"}, ${value.length} bytes: save a file with the option path of page.screenshot, page.pdf or download.saveAs]`;
    picture(value, type);
    return whole ? undefined : `[${type}, ${value.length} bytes, shown]`;
  };
  const convert = (value: unknown, depth: number): unknown => {
    if (typeof value === "function") return "[a function: call it, and return what it returns]";
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const name = named(value);
    if (name !== undefined) return name;
    if (value instanceof Labelled) {
      picture(value.image, value.mimeType);
      return value.text;
    }
    if (isBytes(value)) return bytes(value, depth === 0);
    if (value instanceof Promise) return "[a promise: await it]";
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      seen.set(value, list);
      for (const item of value) list.push(convert(item, depth + 1));
      return list;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    const out: Record<string, unknown> = {};
    seen.set(value, out);
    for (const key of Object.keys(value)) {
      const form = typeof (value as Record<string, unknown>)[key] === "function" ? undefined : convert((value as Record<string, unknown>)[key], depth + 1);
      Object.defineProperty(out, key, { value: form, writable: true, enumerable: true, configurable: true });
    }
    return out;
  };
  return convert(value, 0);
}

// displays returns the function with which code shows a value.
export function displays(host: Host): (value: unknown) => void {
  return (value) => {
    const text = shown(host, value);
    if (text !== undefined) host.display(text);
  };
}
