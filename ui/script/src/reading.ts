// Helpers of code for Playwright that read a page: as an outline, clean HTML, Markdown, a labelled picture, and its logs.

import { bytesOf } from "./bytes";
import type { CDPSession } from "./cdp";
import { Frame } from "./frame";
import type { Timing } from "./host";
import { Locator } from "./locator";
import { Page } from "./page";
import { normal, wanted } from "./selector";
import { Labelled } from "./shown";

type Search = string | RegExp;

export interface SnapshotOptions {
  page?: Page;
  frame?: Frame;
  locator?: Locator;
  selector?: string;
  interactiveOnly?: boolean;
  search?: Search;
  showDiffSinceLastCall?: boolean;
}

interface Entry {
  type: string;
  text: string;
  timestamp: number;
  url?: string;
  line?: number;
}

const around = 2; // lines shown before and after a line that a search finds

// Reading has the helpers; page is the one that is meant if a call names none.
export class Reading {
  private readonly cleared = new Map<string, number>(); // when logs were cleared, by the tab

  constructor(private readonly page: () => Page, private readonly reader: string | undefined) {}

  // snapshot is the page as an outline with refs; after the first call, what changed since.
  async snapshot(options: SnapshotOptions = {}): Promise<string> {
    known("snapshot", options, ["page", "frame", "locator", "selector", "interactiveOnly", "search", "showDiffSinceLastCall"]);
    const { locator, selector, search } = options;
    const frame = locator?.frame ?? options.frame ?? options.page ?? this.page();
    if (!isFrame(frame)) throw new TypeError("snapshot: frame and page are those of Playwright, such as page.frame('name')");
    const part = locator?.selector ?? (selector === undefined ? undefined : normal(selector, "snapshot"));
    const whole = part === undefined && search === undefined && frame.id === undefined;
    const data = await frame.daemon.command<{ snapshot: string; url?: string; title?: string }>("snapshot", {
      selector: part, frame: frame.id, interactive: options.interactiveOnly || undefined, compact: true, find: search === undefined ? undefined : expression(search),
      delta: (whole && (options.showDiffSinceLastCall ?? this.reader !== undefined)) || undefined, reader: this.reader,
    });
    const head = data.title ? `${data.title} (${data.url ?? frame.url()})` : data.url ?? frame.url();
    return `${head}\n${ownWords(data.snapshot)}`;
  }

  // refToLocator is the locator of a ref of a snapshot; as text it is that of page.locator.
  refToLocator(options: { ref: string; page?: Page } | string): Locator {
    const { ref, page } = typeof options === "string" ? { ref: options, page: undefined } : options;
    const name = /^@?(?:ref=)?(e\d+)$/.exec(String(ref).trim());
    if (!name) throw new TypeError(`refToLocator: ${JSON.stringify(ref)} is no ref of a snapshot, such as "e5"`);
    return new Locator(page ?? this.page(), `@${name[1] as string}`);
  }

  // waitForPageLoad waits until the page has loaded and its network is quiet. A page that does not become quiet is no error.
  async waitForPageLoad(options: Timing & { page?: Page } = {}): Promise<object> {
    const page = options.page ?? this.page();
    const began = Date.now();
    const limit = page.limit(options);
    let timedOut = false;
    const within = async (wait: Promise<unknown>): Promise<void> => {
      try {
        await wait;
      } catch (error) {
        if ((error as Error).name !== "TimeoutError") throw error;
        timedOut = true;
      }
    };
    await within(page.waitForLoadState("load", { timeout: limit }));
    const left = limit - (Date.now() - began);
    if (!timedOut && left > 0) await within(page.waitForNetworkIdle({ idleTime: 300, timeout: Math.min(left, quietLimit) }));
    const readyState = await page.evaluate("document.readyState");
    return { success: !timedOut, readyState, timedOut, waitTimeMs: Date.now() - began, url: page.url() };
  }

  // getLogs is the last lines of the page's console, with its uncaught errors, oldest first.
  async getLogs(options: { page?: Page; count?: number; search?: Search } = {}): Promise<string[]> {
    known("getLogs", options, ["page", "count", "search"]);
    const page = options.page ?? this.page();
    const matches = matcher(options.search);
    const lines = (await this.entries(page))
      .filter((entry) => entry.timestamp > (this.cleared.get(page.tabId) ?? 0))
      .map((entry) => `[${entry.type}] ${entry.text}${entry.url ? ` (${entry.url}${entry.line ? `:${entry.line}` : ""})` : ""}`)
      .filter(matches);
    return lines.slice(-(options.count ?? lines.length));
  }

  private async entries(page: Page): Promise<Entry[]> {
    const { messages } = await page.daemon.command<{ messages: Entry[] }>("console");
    const { errors } = await page.daemon.command<{ errors: Omit<Entry, "type">[] }>("errors");
    return [...messages, ...errors.map((error) => ({ ...error, type: "error" }))].sort((a, b) => a.timestamp - b.timestamp);
  }

  // clearLogs makes getLogs begin anew. Other readers of the page's console keep theirs.
  async clearLogs(options: { page?: Page } = {}): Promise<void> {
    const page = options.page ?? this.page();
    this.cleared.set(page.tabId, (await this.entries(page)).at(-1)?.timestamp ?? 0);
  }

  async getCDPSession(options: { page?: Page } = {}): Promise<CDPSession> {
    return (options.page ?? this.page()).createCDPSession();
  }

  // screenshotWithAccessibilityLabels is a picture in which what can be acted on has numbers, with the list of these.
  async screenshotWithAccessibilityLabels(options: { page?: Page; selector?: string; interactiveOnly?: boolean } = {}): Promise<Labelled> {
    const page = options.page ?? this.page();
    const answer = (await page.daemon.call("page.labels", { selector: options.selector && normal(options.selector, "screenshotWithAccessibilityLabels") })) as
      { data: string; mimeType: string; text: string };
    return new Labelled(bytesOf(answer.data), answer.mimeType, answer.text);
  }

  // cleanHTML is the HTML of an element without scripts, styles, comments, and attributes that say nothing.
  async cleanHTML(selector: string | Locator = "body", options: { page?: Page; search?: Search; includeStyles?: boolean; maxAttributeLength?: number } = {}): Promise<string> {
    if (typeof selector !== "string" && !(selector instanceof Locator)) throw new TypeError("cleanHTML takes a selector, or a locator");
    known("cleanHTML", options, ["page", "search", "includeStyles", "maxAttributeLength"]);
    const locator = typeof selector === "string" ? (options.page ?? this.page()).locator(selector).first() : selector;
    const text = (await locator.evaluate(cleaner, { styles: options.includeStyles === true, longest: options.maxAttributeLength ?? 200 })) as string;
    return options.search === undefined ? text : found(text.split("\n"), matcher(options.search));
  }

  // pageMarkdown is the readable part of the page as Markdown, or as text.
  async pageMarkdown(options: { page?: Page; search?: Search; format?: "markdown" | "text" } = {}): Promise<string> {
    known("pageMarkdown", options, ["page", "search", "format"]);
    const page = options.page ?? this.page();
    const format = options.format ?? "markdown";
    const { extracted } = (await page.daemon.call("page.extract", { format, html: await page.content(), url: page.url() })) as
      { extracted: { title?: string; byline?: string; markdown?: string; text?: string } | null };
    if (!extracted) return `(${page.url()} has no readable text)`;
    const body = (format === "text" ? extracted.text : extracted.markdown) ?? "";
    const text = `${extracted.title ? `# ${extracted.title}\n\n` : ""}${extracted.byline ? `${extracted.byline}\n\n` : ""}${body}`;
    return options.search === undefined ? text : found(text.split("\n"), matcher(options.search));
  }
}

// isFrame tells pages and frames from other objects. A page is no instance of Frame: what known puts between their prototypes hides that.
function isFrame(value: unknown): boolean {
  return value instanceof Page || value instanceof Frame;
}

const quietLimit = 5000; // milliseconds: pages that poll never become quiet

// known refuses options that there are not: a misspelled one would be without effect.
function known(method: string, options: object, names: string[]): void {
  if (typeof options !== "object" || options === null || options instanceof Locator || isFrame(options)) throw new TypeError(`${method} takes an object with ${names.join(", ")}`);
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`${method} has no option ${name}. The options are: ${names.join(", ")}.`);
  }
}

// expression writes a search as the command snapshot takes it.
function expression(search: Search): string {
  return search instanceof RegExp ? String(search) : /^\/.*\/\w*$/.test(search) ? wanted(new RegExp(search.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))) : search;
}

function matcher(search: Search | undefined): (line: string) => boolean {
  if (search === undefined) return () => true;
  if (search instanceof RegExp) {
    const pattern = new RegExp(search.source, search.flags.replace(/[gy]/g, ""));
    return (line) => pattern.test(line);
  }
  const text = String(search).toLowerCase();
  return (line) => line.toLowerCase().includes(text);
}

// found is the lines that match, with the lines around them.
function found(lines: string[], matches: (line: string) => boolean): string {
  const out: string[] = [];
  let last = -1;
  lines.forEach((line, i) => {
    if (!matches(line)) return;
    const from = Math.max(last + 1, i - around);
    if (from > last + 1 && out.length > 0) out.push("…");
    const to = Math.min(lines.length - 1, i + around);
    for (let n = from; n <= to; n++) out.push(lines[n] as string);
    last = Math.max(last, to);
  });
  return out.length > 0 ? out.join("\n") : "(no line matches)";
}

// ownWords says in the words of code what an outline says in those of commands: how to read what was left out.
function ownWords(outline: string): string {
  return outline.replace(/: snapshot (?:-c )?-s (.+)$/gm, (_, selector: string) => `: snapshot({selector: ${JSON.stringify(selector.replace(/^'(.*)'$/, "$1"))}})`)
    .replace(/^(- … .*): snapshot(?: -c)?$/gm, "$1: snapshot({showDiffSinceLastCall: false})");
}

// cleaner runs in the page. It writes one element per line, and those with nothing but text in one.
const cleaner = `(root, {styles, longest}) => {
  const dropped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "LINK", "META", "BASE"]);
  const kept = /^(id|name|type|value|href|src|alt|title|placeholder|role|for|action|method|checked|selected|disabled|readonly|required|open|hidden|colspan|rowspan|lang|contenteditable|aria-.*|data-(testid|test-id|test|cy|qa)|data-test-.*)$/;
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const space = (text) => text.replace(/\\s+/g, " ");
  const attributes = (element) => {
    let out = "";
    for (const {name, value} of element.attributes) {
      if (!kept.test(name) && !(styles && (name === "class" || name === "style"))) continue;
      let text = value.startsWith("data:") ? value.slice(0, value.indexOf(",") + 1) + "…" : value;
      if (text.length > longest) text = text.slice(0, longest) + "…";
      out += " " + name + (text === "" ? "" : '="' + text.replace(/&/g, "&amp;").replace(/"/g, "&quot;") + '"');
    }
    return out;
  };
  const empty = new Set(["AREA", "BR", "COL", "EMBED", "HR", "IMG", "INPUT", "SOURCE", "TRACK", "WBR"]);
  const lines = (node, indent) => {
    if (node.nodeType === 3) {
      const text = escape(space(node.data)).trim();
      return text ? [indent + text] : [];
    }
    if (node.nodeType !== 1 || dropped.has(node.tagName)) return [];
    const tag = node.localName, open = tag + attributes(node);
    if (empty.has(node.tagName)) return [indent + "<" + open + ">"];
    if (tag === "svg") return [indent + "<" + open + "></svg>"];
    const children = [...(node.shadowRoot ? node.shadowRoot.childNodes : []), ...node.childNodes];
    const bare = open === tag && (tag === "div" || tag === "span") && node !== root;
    const inner = children.flatMap((child) => lines(child, bare ? indent : indent + "  "));
    if (bare) return inner;
    if (inner.length === 0) return [indent + "<" + open + "></" + tag + ">"];
    if (inner.length === 1 && inner[0].length < 120 && (inner[0].trim()[0] !== "<" || children.length === 1)) return [indent + "<" + open + ">" + inner[0].trim() + "</" + tag + ">"];
    return [indent + "<" + open + ">", ...inner, indent + "</" + tag + ">"];
  };
  return lines(root, "").join("\\n");
}`;
