// The document as it is rendered, as HTML for a reader outside the page.

import * as safe from "./safe";
import { flatChildren } from "./dom";
import { page } from "./safe";

// Elements without text to read. Form controls are for the outline: their values are no part of the text.
const omitted = new Set([
  "script", "style", "noscript", "template", "head", "link", "meta", "base", "title", "svg", "canvas", "video", "audio", "iframe",
  "object", "embed", "input", "select", "textarea", "source", "track", "param", "map", "datalist", "slot",
]);
const empty = new Set(["br", "hr", "img", "wbr", "col"]);

// What a reader needs: targets, pictures, tables, the language of code; and what tells an article from what is around it.
const kept = ["id", "class", "role", "alt", "title", "lang", "colspan", "rowspan", "start", "datetime", "itemprop", "rel"];

const longest = 300; // characters of an attribute; addresses may be longer
const longestAddress = 4000;
const most = 16 << 20; // characters of all

const special: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\u00a0": "&nbsp;" };
const escaped = (text: string): string => text.replace(/[&<>"\u00a0]/g, (c) => special[c]!);

/**
 * markup returns the HTML of the flat tree: the content of shadow roots in place, without what is not displayed, with
 * absolute addresses. cut reports whether the document is larger than what is returned.
 */
export function markup(): { html: string; title: string; url: string; cut: boolean } {
  const out: string[] = [];
  let room = most;
  const write = (text: string): void => {
    room -= text.length;
    if (room > 0) out.push(text);
  };
  const walk = (node: Node, hidden: boolean): void => {
    if (room <= 0) return;
    if (node instanceof Text) {
      if (!hidden) write(escaped(node.data));
      return;
    }
    if (!(node instanceof Element)) return;
    const name = safe.tag(node);
    if (omitted.has(name) && name !== "slot") return;
    const style = getComputedStyle(node);
    if (style.display === "none") return;
    const unseen = style.visibility !== "visible";
    const as = nameFor(node, name, style.display);
    if (as) write(`<${as}${attributes(node)}>`);
    if (empty.has(as)) return;
    for (const child of flatChildren(node)) walk(child, unseen);
    if (as) write(`</${as}>`);
  };
  const title = page.title;
  const root = page.documentElement;
  if (root) walk(root, false);
  const lang = root && safe.getAttribute(root, "lang");
  const html = `<!doctype html><html${lang ? ` lang="${escaped(lang)}"` : ""}><head><title>${escaped(title)}</title></head>${out.join("")}`;
  return { html, title, url: page.URL, cut: room <= 0 };
}

// nameFor is the name under which an element is written: empty for none, a plain one for custom and foreign elements.
function nameFor(el: Element, name: string, display: string): string {
  if (name === "slot" || name === "html") return "";
  if (name === "" || name.includes("-") || !(el instanceof HTMLElement) || el instanceof HTMLUnknownElement) {
    return display.startsWith("inline") || display === "contents" ? "span" : "div";
  }
  return name;
}

function attributes(el: Element): string {
  let out = "";
  const add = (name: string, value: string | null, limit: number): void => {
    if (value && value.length <= limit) out += ` ${name}="${escaped(value)}"`;
  };
  if (!safe.hasAttributes(el)) return out;
  for (const name of kept) add(name, safe.getAttribute(el, name), longest);
  if (el instanceof HTMLAnchorElement) add("href", el.href, longestAddress);
  if (el instanceof HTMLImageElement) {
    const from = el.currentSrc || el.src;
    if (!from.startsWith("data:")) add("src", from, longestAddress);
  }
  return out;
}

/** source returns the markup of the document as the browser serialises it. */
export function source(): { html: string; url: string } {
  const root = page.documentElement;
  return { html: root ? safe.outerHTML(root) : "", url: page.URL };
}
