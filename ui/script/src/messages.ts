// What the handlers of events get: dialogs, lines of the console, requests and responses, downloads.

import { bytesOf, type Bytes } from "./bytes";
import type { Change } from "./events";
import type { Daemon } from "./host";

export class Dialog {
  constructor(private readonly daemon: Daemon, private readonly change: Change, private readonly prompt: string) {}

  type(): string {
    return this.change.detail ?? "alert";
  }

  message(): string {
    return this.change.text ?? "";
  }

  defaultValue(): string {
    return this.prompt;
  }

  async accept(text?: string): Promise<void> {
    await this.daemon.command("dialog accept", { text: text === undefined ? undefined : [text] });
  }

  async dismiss(): Promise<void> {
    await this.daemon.command("dialog dismiss");
  }
}

// dialogOf reads what the change does not carry: the whole message, and the default of a prompt.
export async function dialogOf(daemon: Daemon, change: Change): Promise<Dialog> {
  const status = await daemon.command<{ hasDialog?: boolean; message?: string; defaultPrompt?: string }>("dialog status");
  return new Dialog(daemon, status.hasDialog ? { ...change, text: status.message ?? change.text ?? "" } : change, status.defaultPrompt ?? "");
}

export class ConsoleMessage {
  constructor(private readonly change: Change) {}

  type(): string {
    return this.change.detail ?? "log";
  }

  text(): string {
    return this.change.text ?? "";
  }

  // args is empty: values that a page logs are kept as text only.
  args(): unknown[] {
    return [];
  }

  location(): { url: string } {
    return { url: this.change.url ?? "" };
  }
}

interface Entry {
  requestId?: string;
  id?: string;
  url?: string;
  method?: string;
  resourceType?: string;
  status?: number;
  statusText?: string;
  headers?: Record<string, string>;
  responseHeaders?: Record<string, string>;
  postData?: string;
  failed?: string;
  blockedReason?: string;
  responseBody?: string;
  base64Encoded?: boolean;
  bodyError?: string;
}

export class Request {
  constructor(readonly daemon: Daemon, readonly id: string, readonly entry: Entry) {}

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

  postData(): string | null {
    return this.entry.postData ?? null;
  }

  postDataJSON(): unknown {
    const text = this.postData();
    return text === null ? null : JSON.parse(text);
  }

  isNavigationRequest(): boolean {
    return this.resourceType() === "document";
  }

  failure(): { errorText: string } | null {
    const text = this.entry.failed ?? this.entry.blockedReason;
    return text ? { errorText: text } : null;
  }

  async response(): Promise<Response | null> {
    const entry = await this.daemon.command<Entry>("network request", { id: this.id });
    return entry.status ? new Response(new Request(this.daemon, this.id, entry)) : null;
  }
}

export class Response {
  constructor(private readonly of: Request) {}

  request(): Request {
    return this.of;
  }

  url(): string {
    return this.of.url();
  }

  status(): number {
    return this.of.entry.status ?? 0;
  }

  statusText(): string {
    return this.of.entry.statusText ?? "";
  }

  ok(): boolean {
    return this.status() === 0 || (this.status() >= 200 && this.status() <= 299);
  }

  headers(): Record<string, string> {
    return lower(this.of.entry.responseHeaders);
  }

  headerValue(name: string): string | null {
    return this.headers()[name.toLowerCase()] ?? null;
  }

  // body waits until the response is complete.
  async body(): Promise<Bytes> {
    const entry = await this.read();
    return entry.base64Encoded ? bytesOf(entry.responseBody ?? "") : encode(entry.responseBody ?? "");
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
    const end = Date.now() + 10_000;
    for (;;) {
      const entry = await this.of.daemon.command<Entry>("network request", { id: this.of.id });
      if (entry.bodyError === undefined) return entry;
      if (Date.now() > end || !/arrive|not.*finished|yet/.test(entry.bodyError)) throw new Error(`The body of ${this.url()} cannot be read: ${entry.bodyError}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

declare class TextEncoder { encode(text: string): Uint8Array }
declare class TextDecoder { decode(bytes: Uint8Array): string }

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function decode(bytes: Bytes): string {
  return new TextDecoder().decode(bytes);
}

function lower(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

// requestOf reads the request of a change.
export async function requestOf(daemon: Daemon, change: Change): Promise<Request> {
  const id = change.id ?? "";
  const entry = await daemon.command<Entry>("network request", { id });
  return new Request(daemon, id, entry);
}

export async function responseOf(daemon: Daemon, change: Change): Promise<Response> {
  return new Response(await requestOf(daemon, change));
}

export class Download {
  constructor(private readonly daemon: Daemon, private readonly change: Change) {}

  url(): string {
    return this.change.url ?? "";
  }

  suggestedFilename(): string {
    return this.change.text ?? "";
  }

  // path waits until the download has ended.
  async path(): Promise<string> {
    const done = await this.daemon.command<{ path?: string }>("wait", { download: "" }, { waits: true });
    return done.path ?? "";
  }

  async saveAs(path: string): Promise<void> {
    await this.daemon.command("wait", { download: path }, { waits: true });
  }
}
