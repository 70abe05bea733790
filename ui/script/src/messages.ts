// What the handlers of events get: dialogs, lines of the console, requests and responses, downloads.

import { called } from "./called";
import { base64Of, bytesOf, bytesOfText, type Bytes } from "./bytes";
import { known } from "./known";
import type { Frame } from "./frame";
import type { Page } from "./page";
import type { Change } from "./events";
import { result } from "./values";

export class Dialog {
  constructor(private readonly owner: Page, private readonly change: Change) {}

  type(): string {
    return this.change.dialog?.type ?? this.change.detail ?? "alert";
  }

  message(): string {
    return this.change.dialog?.message ?? this.change.text ?? "";
  }

  defaultValue(): string {
    return this.change.dialog?.defaultPrompt ?? "";
  }

  page(): Page {
    return this.owner;
  }

  // accept enters the text into a prompt; other dialogs have no place for one, and both libraries ignore it there.
  async accept(text?: string): Promise<void> {
    await this.answer(["accept", ...(text === undefined || this.type() !== "prompt" ? [] : [text])]);
  }

  async dismiss(): Promise<void> {
    await this.answer(["dismiss"]);
  }

  private async answer(answer: string[]): Promise<void> {
    await this.owner.daemon.command("interrupt answer", { id: this.change.id ?? "", answer });
  }
}

// Line is a line of the console, as usher records it.
export interface Line {
  type: string;
  text: string;
  args: unknown[];
  timestamp?: number; // in milliseconds since 1970
  url?: string;
  line?: number;
  column?: number;
}

export class ConsoleMessage {
  private readonly of: Line & { timestamp: number };

  constructor(private readonly owner: Page, change: Partial<Change>) {
    this.of = { timestamp: Date.now(), ...(change.message ?? { type: change.detail ?? "log", text: change.text ?? "", args: [] }) };
  }

  type(): string {
    return this.of.type === "warning" && this.owner.daemon.host.config.puppeteer ? "warn" : this.of.type;
  }

  text(): string {
    return this.of.text;
  }

  // args are plain: the values that a page logs are kept as they were then.
  args(): { jsonValue(): Promise<unknown>; toString(): string }[] {
    return this.of.args.map((arg) => {
      const { value, description } = arg as RemoteObject;
      return { jsonValue: async () => valueOf(arg as RemoteObject), toString: () => String(value ?? description) };
    });
  }

  location(): { url: string; lineNumber: number; columnNumber: number } {
    return { url: this.of.url ?? "", lineNumber: Math.max((this.of.line ?? 1) - 1, 0), columnNumber: Math.max((this.of.column ?? 1) - 1, 0) };
  }

  page(): Page {
    return this.owner;
  }

  // timestamp is when the line was written, in milliseconds since 1970.
  timestamp(): number {
    return this.of.timestamp;
  }

  // worker is null: what workers log comes as if the page had logged it.
  worker(): null {
    return null;
  }
}

interface RemoteObject {
  type: string;
  subtype?: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
  preview?: { overflow: boolean; properties: { name: string; type: string; value?: string }[]; entries?: unknown[] };
}

// valueOf is the value that was logged. Of an object usher has what the console shows of it, which is all of a small flat one.
function valueOf(arg: RemoteObject): unknown {
  if (arg.unserializableValue !== undefined) return result({ special: arg.unserializableValue });
  if (arg.type !== "object" || arg.value !== undefined || arg.subtype === "null") return arg.subtype === "null" ? null : arg.value;
  const { preview } = arg;
  const flat = preview && !preview.overflow && !preview.entries && (arg.subtype === undefined || arg.subtype === "array") && preview.properties.every((p) => p.type in plain);
  if (!flat) throw new Error(`The console kept ${arg.description ?? "the object"} as text only: have the page log JSON.stringify(value)`);
  const values = preview.properties.map(({ name, type, value }) => [name, (plain[type] as (text: string) => unknown)(value ?? "")] as const);
  return arg.subtype === "array" ? values.map(([, value]) => value) : Object.fromEntries(values);
}

// plain reads the values of a preview. Long texts are cut there, with an ellipsis.
const plain: Record<string, (text: string) => unknown> = {
  string(text) {
    if (text.includes("\u2026") && text.length >= 100) throw new Error("The console kept only the start of a long text: have the page log JSON.stringify(value)");
    return text;
  },
  number: Number, boolean: (text) => text === "true", undefined: () => undefined,
};

// errorOf is an error that a page did not catch.
export function errorOf(change: Partial<Change>): Error {
  const text = (change.thrown?.text ?? change.text ?? "").replace(/^Uncaught (\(in promise\) )?/, "");
  const match = /^(\w*(?:Error|Exception)\b[\w.]*): ?([^]*)$/.exec(text);
  const error = new Error(match ? match[2] : text);
  error.name = match ? (match[1] as string) : "Error";
  if (change.thrown?.stack) error.stack = change.thrown.stack;
  return error;
}

// Entry is a request as usher records it.
export interface Entry {
  requestId?: string;
  url?: string;
  method?: string;
  resourceType?: string;
  status?: number;
  statusText?: string;
  headers?: Record<string, string>;
  responseHeaders?: Record<string, string>;
  postData?: string;
  hasPostData?: boolean;
  failed?: string;
  blockedReason?: string;
  fromCache?: boolean;
  fromServiceWorker?: boolean;
  frameId?: string;
  loaderId?: string;
  remoteIPAddress?: string;
  remotePort?: number;
  done?: boolean;
  duration?: number;
  timestamp?: number;
  protocol?: string;
  size?: number; // bytes received over the network, those of the headers included
  responseBody?: string;
  base64Encoded?: boolean;
  bodyError?: string;
  redirects?: Entry[];
  seen?: { status: number; statusText: string; headers: Record<string, string> }; // the response as the page got it, if the server sent another
}

export class Request {
  constructor(readonly owner: Page, readonly id: string, public entry: Entry) {}

  url(): string {
    return this.entry.url ?? "";
  }

  method(): string {
    return this.entry.method ?? "GET";
  }

  resourceType(): string {
    return (this.entry.resourceType ?? "other").toLowerCase();
  }

  headers(): Record<string, string> {
    return lower(this.entry.headers);
  }

  // allHeaders has also those that are added on the way, such as cookies and those of setExtraHTTPHeaders.
  async allHeaders(): Promise<Record<string, string>> {
    const now = await this.owner.entry(this.id).catch(() => undefined);
    if (now?.url === this.entry.url) this.entry = { ...this.entry, ...(now?.headers ? { headers: now.headers } : {}) };
    return this.headers();
  }

  async headerValue(name: string): Promise<string | null> {
    return (await this.allHeaders())[name.toLowerCase()] ?? null;
  }

  async headersArray(): Promise<{ name: string; value: string }[]> {
    return Object.entries(await this.allHeaders()).map(([name, value]) => ({ name, value }));
  }

  postData(): string | null {
    return this.entry.postData ?? null;
  }

  hasPostData(): boolean {
    return this.entry.hasPostData === true || this.entry.postData !== undefined;
  }

  async fetchPostData(): Promise<string | null> {
    return (await this.owner.entry(this.id)).postData ?? null;
  }

  postDataBuffer(): Bytes | null {
    const text = this.postData();
    return text === null ? null : bytesOfText(text);
  }

  postDataJSON(): unknown {
    const text = this.postData();
    if (text === null) return null;
    if ((this.headers()["content-type"] ?? "").includes("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(text));
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`POST data is not a valid JSON object: ${text}`);
    }
  }

  isNavigationRequest(): boolean {
    return this.entry.loaderId !== undefined && this.entry.loaderId === this.id;
  }

  frame(): Frame | null {
    return this.owner.frameOf(this.entry.frameId) ?? this.owner;
  }

  failure(): { errorText: string } | null {
    const text = this.entry.failed ?? this.entry.blockedReason;
    return text ? { errorText: text } : null;
  }

  // redirectChain is the earlier steps of the same request, first to last (Puppeteer); redirectedFrom is the last of them.
  redirectChain(): Request[] {
    const chain = (this.entry.redirects ?? []).map((entry, index, all) => new Request(this.owner, this.id, { ...entry, redirects: all.slice(0, index) }));
    chain.forEach((step, index) => (step.next = chain[index + 1] ?? this));
    return chain;
  }

  redirectedFrom(): Request | null {
    return this.redirectChain().at(-1) ?? null;
  }

  private next: Request | undefined; // of a step of a chain

  // redirectedTo is known for the steps of a chain, and null for a request that was answered without a redirect.
  redirectedTo(): Request | null {
    if (this.next) return this.next;
    const { status } = this.entry;
    if (status && (status < 300 || status > 399)) return null;
    throw new Error("redirectedTo is known for what request.redirectedFrom() returned: take response.request().redirectedFrom() of the last response");
  }

  // serviceWorker is null: code does not see the requests of service workers.
  serviceWorker(): null {
    return null;
  }

  // existingResponse is the response, if it has come.
  existingResponse(): Response | null {
    return this.entry.status ? new Response(this) : null;
  }

  // sizes are in bytes. Those of headers are counted as HTTP/1.1 writes them.
  async sizes(): Promise<Sizes> {
    const response = await this.answer();
    if (!response) throw new Error("Unable to fetch sizes for failed request");
    await response.finished();
    const entry = await this.owner.entry(this.id);
    const target = this.url().replace(/^[^:]*:\/\/[^/?#]*|#.*$/g, "") || "/";
    const responseHeadersSize = headersSize(`HTTP/1.1 ${entry.status} ${entry.statusText ?? ""}`, entry.responseHeaders);
    return {
      requestBodySize: new TextEncoder().encode(entry.postData ?? "").length,
      requestHeadersSize: headersSize(`${this.method()} ${target} HTTP/1.1`, entry.headers),
      responseBodySize: Math.max((entry.size ?? 0) - responseHeadersSize, 0), responseHeadersSize,
    };
  }

  timing(): { startTime: number; responseEnd: number } {
    return { startTime: this.entry.timestamp ?? 0, responseEnd: this.entry.duration ?? -1 };
  }

  // response waits for it; null for a request that failed. Puppeteer's is at hand, and null before it has come.
  response(): Response | null | Promise<Response | null> {
    if (this.owner.daemon.host.config.puppeteer) return this.entry.status ? new Response(this) : null;
    return this.answer();
  }

  private async answer(): Promise<Response | null> {
    if (this.entry.status) return new Response(this);
    const end = Date.now() + this.owner.limit({});
    for (;;) {
      const entry = await this.owner.entry(this.id);
      if (entry.status) {
        this.entry = entry;
        return new Response(this);
      }
      if (entry.done || entry.failed || Date.now() > end) return null;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

interface Sizes {
  requestBodySize: number;
  requestHeadersSize: number;
  responseBodySize: number;
  responseHeadersSize: number;
}

// headersSize is that of the first line and the headers of a message, in bytes.
function headersSize(line: string, headers: Record<string, string> = {}): number {
  const fields = fieldsOf(headers).map(({ name, value }) => `${name}: ${value}`);
  return new TextEncoder().encode([line, ...fields, "", ""].join("\r\n")).length;
}

// fieldsOf are the fields of a message, one by one: Chromium separates those of one name by line feeds.
function fieldsOf(headers: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, values]) => values.split("\n").map((value) => ({ name, value })));
}

export class Response {
  constructor(private readonly of: Request) {}

  request(): Request {
    return this.of;
  }

  frame(): Frame | null {
    return this.of.frame();
  }

  url(): string {
    return this.of.url();
  }

  // seen is what Playwright shows of a response that the server confirmed (304): the one from the cache. Puppeteer shows what was sent.
  private get seen(): Entry["seen"] {
    return this.of.owner.daemon.host.config.puppeteer ? undefined : this.of.entry.seen;
  }

  status(): number {
    return this.seen?.status ?? this.of.entry.status ?? 0;
  }

  statusText(): string {
    return this.seen?.statusText ?? this.of.entry.statusText ?? "";
  }

  ok(): boolean {
    return this.status() === 0 || (this.status() >= 200 && this.status() <= 299);
  }

  headers(): Record<string, string> {
    return lower(this.seen?.headers ?? this.of.entry.responseHeaders);
  }

  async allHeaders(): Promise<Record<string, string>> {
    return lower(this.of.entry.responseHeaders);
  }

  headerValue(name: string): string | null {
    return this.headers()[name.toLowerCase()] ?? null;
  }

  // headerValues are the values of all fields of a name.
  async headerValues(name: string): Promise<string[]> {
    return (await this.headersArray()).filter((field) => field.name.toLowerCase() === name.toLowerCase()).map(({ value }) => value);
  }

  async headersArray(): Promise<{ name: string; value: string }[]> {
    return fieldsOf(this.seen?.headers ?? this.of.entry.responseHeaders ?? {});
  }

  // httpVersion is the protocol, as Playwright writes it.
  async httpVersion(): Promise<string> {
    const { protocol } = await this.of.owner.entry(this.of.id);
    return protocol === "h2" ? "HTTP/2.0" : protocol === undefined || protocol === "http/1.1" ? "HTTP/1.1" : protocol;
  }

  fromCache(): boolean {
    return this.of.entry.fromCache === true;
  }

  fromServiceWorker(): boolean {
    return this.of.entry.fromServiceWorker === true;
  }

  remoteAddress(): { ip: string; port: number } {
    return { ip: this.of.entry.remoteIPAddress ?? "", port: this.of.entry.remotePort ?? 0 };
  }

  async serverAddr(): Promise<{ ipAddress: string; port: number } | null> {
    const { ip, port } = this.remoteAddress();
    return ip ? { ipAddress: ip, port } : null;
  }

  // finished waits until the response is complete.
  async finished(): Promise<Error | null> {
    const end = Date.now() + this.of.owner.limit({});
    for (;;) {
      const entry = await this.of.owner.entry(this.of.id);
      if (entry.failed) return new Error(entry.failed);
      if (entry.done || Date.now() > end) return null;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  // body waits until the response is complete.
  async body(): Promise<Bytes> {
    const entry = await this.read();
    return entry.base64Encoded ? bytesOf(entry.responseBody ?? "") : bytesOfText(entry.responseBody ?? "");
  }

  async buffer(): Promise<Bytes> {
    return this.body();
  }

  async text(): Promise<string> {
    const entry = await this.read();
    if (!entry.base64Encoded) return entry.responseBody ?? "";
    return decode(bytesOf(entry.responseBody ?? ""));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  private async read(): Promise<Entry> {
    const failed = await this.finished();
    if (failed) throw failed;
    const entry = await this.of.owner.daemon.command<Entry>("network request", { id: this.of.id });
    if (entry.bodyError !== undefined) throw new Error(`The body of ${this.url()} cannot be read: ${entry.bodyError}`);
    return entry;
  }
}


function decode(bytes: Bytes): string {
  return new TextDecoder().decode(bytes);
}

function lower(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export class Download {
  constructor(private readonly owner: Page, private readonly change: Change) {}

  url(): string {
    return this.change.url ?? "";
  }

  suggestedFilename(): string {
    return this.change.text ?? "";
  }

  page(): Page {
    return this.owner;
  }

  // path waits until the download has ended.
  async path(): Promise<string> {
    return (await this.end()).path ?? "";
  }

  async saveAs(path: string): Promise<void> {
    if (this.ended) throw new Error("saveAs: the file was taken already; call saveAs before path and failure, or only once");
    await this.end(path);
  }

  // failure is why it ended without a file; null if there is one.
  async failure(): Promise<string | null> {
    return this.end().then(() => null, (error: Error & { code?: string }) => {
      if (error.code === "download_failed") return "canceled"; // Playwright's word for all that Chromium reports
      throw error;
    });
  }

  async cancel(): Promise<void> {
    throw new Error("A download cannot be cancelled; it ends with the session");
  }

  private ended: Promise<{ path?: string }> | undefined;

  private end(path = ""): Promise<{ path?: string }> {
    return (this.ended ??= this.owner.daemon.command<{ path?: string }>("wait", { download: path }));
  }
}

export class FileChooser {
  constructor(private readonly owner: Page, private readonly id: string, private readonly multiple: boolean) {}

  page(): Page {
    return this.owner;
  }

  isMultiple(): boolean {
    return this.multiple;
  }

  async setFiles(files: Files): Promise<void> {
    const { paths, contents } = given(files);
    if (contents.length > 0) throw new TypeError("A file chooser takes paths of files; give contents to locator.setInputFiles");
    await this.owner.daemon.command("interrupt answer", { id: this.id, answer: paths.length > 0 ? paths : ["dismiss"] });
  }

  async accept(paths: string[]): Promise<void> {
    await this.setFiles(paths);
  }

  async cancel(): Promise<void> {
    await this.owner.daemon.command("interrupt answer", { id: this.id, answer: ["dismiss"] });
  }
}

// Files are paths, or files with their content.
export type Files = string | FilePayload | (string | FilePayload)[];

export interface FilePayload {
  name: string;
  mimeType?: string;
  buffer: Uint8Array;
}

// given returns files as operations take them.
export function given(files: Files): { paths: string[]; contents: { name: string; data: string }[] } {
  const out = { paths: [] as string[], contents: [] as { name: string; data: string }[] };
  for (const file of [files].flat()) {
    if (typeof file === "string") out.paths.push(file);
    else if (file && typeof file === "object" && typeof file.name === "string" && file.buffer instanceof Uint8Array) out.contents.push({ name: file.name, data: base64Of(file.buffer) });
    else throw new TypeError("files are paths, or objects {name, mimeType, buffer}");
  }
  return out;
}

known(Request, "a request");
known(Response, "a response");
known(Dialog, "a dialog");
known(ConsoleMessage, "a console message");
known(Download, "a download");
known(FileChooser, "a file chooser");
for (const [of, label] of [[Request, "request"], [Response, "response"], [Dialog, "dialog"], [ConsoleMessage, "consoleMessage"], [Download, "download"], [FileChooser, "fileChooser"]] as const) called(of, label);
