// Playwright's APIRequestContext: requests that usher sends in place of the page, with the cookies of the session.

import { called } from "./called";
import { base64Of, type Bytes, bytesOf } from "./bytes";
import type { Context } from "./context";
import { Blob, File, FormData, joined } from "./form";
import { known } from "./known";
import { Request } from "./messages";

type Params = Record<string, string | number | boolean | undefined> | URLSearchParams | string;

interface FilePart {
  name: string;
  mimeType: string;
  buffer: Uint8Array;
}

interface FetchOptions {
  method?: string;
  params?: Params;
  headers?: Record<string, string>;
  data?: unknown;
  form?: FormData | Record<string, string | number | boolean>;
  multipart?: FormData | Record<string, string | number | boolean | File | FilePart>;
  failOnStatusCode?: boolean;
  timeout?: number;
  maxRedirects?: number;
  ignoreHTTPSErrors?: boolean;
}

interface Answer {
  url: string;
  status: number;
  statusText: string;
  headers: Header[];
  body: string;
}

interface Header {
  name: string;
  value: string;
}

export class APIRequestContext {
  constructor(private readonly of: Context) {}

  async get(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("get", url, { ...options, method: "GET" });
  }

  async post(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("post", url, { ...options, method: "POST" });
  }

  async put(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("put", url, { ...options, method: "PUT" });
  }

  async patch(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("patch", url, { ...options, method: "PATCH" });
  }

  async delete(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("delete", url, { ...options, method: "DELETE" });
  }

  async head(url: string, options: FetchOptions = {}): Promise<APIResponse> {
    return this.send("head", url, { ...options, method: "HEAD" });
  }

  // fetch takes an address, or a request of a page, which it sends again.
  async fetch(what: string | Request, options: FetchOptions = {}): Promise<APIResponse> {
    return what instanceof Request ? this.again(what, what.url(), options) : this.send("fetch", what, options);
  }

  // again sends a request of a page, to an address.
  async again(request: Request, url: string, options: FetchOptions): Promise<APIResponse> {
    const data = options.data ?? options.form ?? options.multipart ?? request.postDataBuffer();
    const own = options.form || options.multipart ? {} : { data: data ?? undefined };
    return this.send("fetch", url, { method: request.method(), ...options, headers: options.headers ? ownHeaders(options.headers) : repeated(request.headers()), ...own });
  }

  async storageState(options: { path?: string } = {}): Promise<unknown> {
    return this.of.storageState(options);
  }

  // dispose is without effect: answers are the code's.
  async dispose(): Promise<void> {}

  private async send(name: string, url: string, options: FetchOptions): Promise<APIResponse> {
    const method = `apiRequestContext.${name}`;
    if (typeof url !== "string") throw new TypeError(`${method}: url: expected string, got ${typeof url}`);
    const { main } = this.of;
    const answer = (await main.daemon.call("page.send", {
      name: method, url: address(url, options.params, main.url(), method), method: (options.method ?? "GET").toUpperCase(), ...message(options, method),
      timeout: main.daemon.timeout(options), redirects: options.maxRedirects ?? 20, insecure: options.ignoreHTTPSErrors === true,
    })) as Answer;
    const response = new APIResponse(answer);
    if (options.failOnStatusCode && !response.ok()) {
      throw new Error(`${method}: ${answer.status} ${answer.statusText}\nResponse text:\n${(await response.text()).slice(0, 1000)}`);
    }
    return response;
  }
}

// repeated are the headers of a request that is sent once more: its cookies are those of then.
function repeated(headers: Record<string, string>): Record<string, string> {
  const { cookie: _, ...others } = ownHeaders(headers);
  return others;
}

// ownHeaders leaves out the headers that belong to a connection or a body.
function ownHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !["host", "content-length", "connection"].includes(name.toLowerCase()) && !name.startsWith(":")));
}

function address(url: string, params: Params | undefined, base: string, method: string): string {
  let out: URL;
  try {
    out = new URL(url, /^https?:/.test(base) ? base : undefined);
  } catch {
    throw new TypeError(`${method}: Invalid URL ${JSON.stringify(url)}`);
  }
  if (!/^https?:$/.test(out.protocol)) throw new TypeError(`${method}: Protocol "${out.protocol}" not supported. Expected "http:" or "https:"`);
  if (typeof params === "string") out.search = params;
  else if (params instanceof URLSearchParams) for (const [name, value] of params) out.searchParams.append(name, value);
  else for (const [name, value] of Object.entries(params ?? {})) if (value !== undefined) out.searchParams.append(name, String(value));
  out.hash = "";
  return out.href;
}

// message is headers and body of a request, as the protocol has them.
function message(options: FetchOptions, method: string): { headers: Header[]; body?: string } {
  const headers: Header[] = [];
  Object.entries(options.headers ?? {}).forEach(([name, value], index) => {
    if (typeof value !== "string") throw new Error(`${method}: headers[${index}].value: expected string, got ${typeof value}`);
    headers.push({ name, value });
  });
  if ([options.data, options.form, options.multipart].filter((body) => body !== undefined).length > 1) {
    throw new Error(`${method}: Only one of 'data', 'form' or 'multipart' can be specified`);
  }
  const given = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const body = bodyOf(options, given);
  if (!body) return { headers };
  if (given === undefined) headers.push({ name: "Content-Type", value: body.type });
  const bytes = typeof body.content === "string" ? new TextEncoder().encode(body.content) : body.content;
  return { headers, body: base64Of(bytes) };
}

interface Body {
  type: string;
  content: string | Uint8Array;
}

function bodyOf({ data, form, multipart }: FetchOptions, type: string | undefined): Body | undefined {
  if (form !== undefined) {
    const fields = new URLSearchParams("");
    for (const [name, value] of fieldsOf(form)) {
      if (typeof value === "object") throw new TypeError(`form: the field ${JSON.stringify(name)} is no text. Send files as multipart.`);
      fields.append(name, String(value));
    }
    return { type: "application/x-www-form-urlencoded", content: fields.toString() };
  }
  if (multipart !== undefined) return parts(multipart);
  if (data === undefined) return undefined;
  if (data instanceof Uint8Array) return { type: "application/octet-stream", content: data };
  if (typeof data !== "string") return { type: "application/json", content: JSON.stringify(data) };
  const json = type?.toLowerCase().startsWith("application/json") && !isJSON(data);
  return { type: "application/octet-stream", content: json ? JSON.stringify(data) : data };
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// fieldsOf are the fields of a form, in their order.
function fieldsOf<T>(form: FormData | Record<string, T>): [string, T | string | File][] {
  return form instanceof FormData ? [...form] : Object.entries(form);
}

// parts is a form with files (RFC 7578).
function parts(fields: NonNullable<FetchOptions["multipart"]>): Body {
  const boundary = `----usher${crypto.randomUUID()}`;
  const quoted = (text: string) => text.replace(/[\r\n"]/g, (c) => encodeURIComponent(c));
  const list: Uint8Array[] = [];
  const text = (part: string) => list.push(new TextEncoder().encode(part));
  for (const [name, value] of fieldsOf<string | number | boolean | File | FilePart>(fields)) {
    text(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`);
    if (typeof value === "object") {
      const [type, content] = value instanceof File ? [value.type, Blob.contentOf(value)] : [value.mimeType, value.buffer];
      text(`; filename="${quoted(value.name)}"\r\ncontent-type: ${type || "application/octet-stream"}\r\n\r\n`);
      list.push(content);
      text("\r\n");
    } else text(`\r\n\r\n${String(value)}\r\n`);
  }
  text(`--${boundary}--\r\n`);
  return { type: `multipart/form-data; boundary=${boundary}`, content: joined(list) };
}

export class APIResponse {
  private bytes: Bytes | undefined;

  constructor(private readonly of: Answer) {
    this.bytes = bytesOf(of.body);
  }

  ok(): boolean {
    return this.of.status === 0 || (this.of.status >= 200 && this.of.status <= 299);
  }

  status(): number {
    return this.of.status;
  }

  statusText(): string {
    return this.of.statusText;
  }

  url(): string {
    return this.of.url;
  }

  headers(): Record<string, string> {
    const out: Record<string, string> = {};
    for (const { name, value } of this.of.headers) {
      const key = name.toLowerCase();
      out[key] = out[key] === undefined ? value : `${out[key]}${key === "set-cookie" ? "\n" : ", "}${value}`;
    }
    return out;
  }

  headersArray(): Header[] {
    return this.of.headers.map((header) => ({ ...header }));
  }

  async body(): Promise<Bytes> {
    return this.read("body");
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.read("text"));
  }

  async json(): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode(this.read("json")));
  }

  async dispose(): Promise<void> {
    this.bytes = undefined;
  }

  private read(method: string): Bytes {
    if (!this.bytes) throw new Error(`apiResponse.${method}: Response has been disposed`);
    return this.bytes;
  }
}

known(APIRequestContext, "request");
known(APIResponse, "a response of request");
called(APIRequestContext, "apiRequestContext");
