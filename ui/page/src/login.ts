// The fields of a login form.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { shadowOf } from "./dom";
import { idOf } from "./refs";

/** Selectors of the person's own; empty for none. */
interface Wanted { username: string; password: string; submit: string }

/** Ids of elements; 0 for one that is not there or not visible. */
export interface LoginForm {
  username: number;
  password: number;
  code: number; // for a one-time code
  submit: number;
  alerts: string[]; // texts by which the page reports an error
  fixed: boolean; // nothing in the document can show a form later: it has no scripts and no frames, and leads nowhere by itself
}

const USERNAME = /user|login|email|e-mail|account|identifier|userid|uname/i;
const CODE = /otp|totp|one.?time|mfa|2fa|verification|auth(entication)?.?code|passcode/i;
const SUBMIT = /log ?in|sign ?in|continue|next|submit|verify|anmelden|weiter/i;
const ENTRY = new Set(["text", "email", "tel", "url", "search", "number", "password"]);

/** loginForm finds the fields of the login form that is shown. */
export function loginForm(wanted: Wanted): LoginForm {
  if (innerWidth < 2 || innerHeight < 2) return { username: 0, password: 0, code: 0, submit: 0, alerts: [], fixed: false }; // a hidden frame
  const roots = rootsOf();
  const all = (selector: string): Element[] => roots.flatMap((root) => Array.from(root.querySelectorAll(selector)));
  const own = (selector: string): Element | undefined => (selector ? all(selector).find(usable) : undefined);
  const inputs = all("input").filter((el): el is HTMLInputElement => el instanceof HTMLInputElement && ENTRY.has(el.type) && usable(el));
  const password = own(wanted.password) ?? inputs.find((el) => el.type === "password" && !isCode(el));
  const code = inputs.find((el) => el !== password && isCode(el));
  const form = password instanceof HTMLInputElement ? password.form : null;
  const texts = inputs.filter((el) => el !== password && el !== code && el.type !== "password" && el.type !== "search");
  const inScope = texts.filter((el) => !form || el.form === form);
  const candidates = inScope.length > 0 ? inScope : password ? [] : texts;
  const username = own(wanted.username) ??
    candidates.find((el) => /username|email/.test(safe.getAttribute(el, "autocomplete") ?? "")) ??
    candidates.find((el) => el.type === "email" || USERNAME.test(words(el))) ??
    (password ? before(candidates, password) : undefined);
  const anchor = password ?? code ?? username;
  return {
    username: username ? idOf(username) : 0,
    password: password ? idOf(password) : 0,
    code: code ? idOf(code) : 0,
    submit: idOrZero(own(wanted.submit) ?? (anchor ? submitOf(anchor, all) : undefined)),
    alerts: all("[role=alert], [aria-live=assertive], .error, .alert, .invalid-feedback").filter(usable)
      .map((el) => safe.innerText(el as HTMLElement).replace(/\s+/g, " ").trim()).filter((t) => t !== "").slice(0, 3).map((t) => t.slice(0, 200)),
    fixed: all("script, iframe, frame, object, embed, meta[http-equiv=refresh i]").length === 0,
  };
}

// rootsOf returns the document and its shadow roots, each before those inside it.
function rootsOf(): Root[] {
  const roots: Root[] = [page];
  for (let i = 0; i < roots.length; i++) { // it grows meanwhile
    for (const el of roots[i]!.querySelectorAll("*")) {
      const root = shadowOf(el);
      if (root) roots.push(root);
    }
  }
  return roots;
}

// follows reports whether an element comes after another one; what is in a shadow root is where its host is.
function follows(el: Element, other: Element): boolean {
  const hosts = [...hostsOf(other)];
  for (const a of hostsOf(el)) {
    const b = hosts.find((h) => safe.getRootNode(h) === safe.getRootNode(a));
    if (b) return a === b ? a !== el : (safe.compareDocumentPosition(b, a) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  }
  return false;
}

// hostsOf yields the element, the host of its shadow root, the host of that one's, ...
function* hostsOf(el: Element): Generator<Element> {
  for (let at: Element | null = el; at; ) {
    yield at;
    const root: Node = safe.getRootNode(at);
    at = root instanceof ShadowRoot ? root.host : null;
  }
}

function idOrZero(el: Element | undefined): number { return el ? idOf(el) : 0; }

// usable reports whether a person could use the element: it has a size, is not transparent and not disabled.
function usable(el: Element): boolean {
  const box = safe.getBoundingClientRect(el);
  if (box.width < 1 || box.height < 1) return false;
  if (el instanceof HTMLInputElement && (el.disabled || el.readOnly)) return false;
  return safe.checkVisibility(el, { opacityProperty: true, visibilityProperty: true });
}

// words are what the page says of a field.
function words(el: HTMLInputElement): string {
  const label = el.labels && el.labels.length > 0 ? safe.textContent(el.labels[0]!) : "";
  return [el.name, el.id, safe.getAttribute(el, "autocomplete"), safe.getAttribute(el, "placeholder"), safe.getAttribute(el, "aria-label"), label].join(" ");
}

function isCode(el: HTMLInputElement): boolean {
  return (safe.getAttribute(el, "autocomplete") ?? "").includes("one-time-code") || (el.type !== "email" && CODE.test(words(el)));
}

// before returns the last of the fields that precede another one.
function before(fields: HTMLInputElement[], el: Element): HTMLInputElement | undefined {
  return fields.filter((f) => follows(el, f)).at(-1);
}

// submitOf returns the button that sends the form of a field.
function submitOf(field: Element, all: (selector: string) => Element[]): Element | undefined {
  const form = field instanceof HTMLInputElement ? field.form : null;
  const buttons = all("button, input[type=submit], input[type=image], [role=button]").filter((el) => usable(el) && !(el as HTMLButtonElement).disabled);
  if (form) {
    const mine = buttons.filter((el) => (el as HTMLButtonElement).form === form);
    const submits = mine.filter((el) => (el as HTMLButtonElement).type === "submit" || (el as HTMLInputElement).type === "image");
    return submits.find((el) => SUBMIT.test(caption(el))) ?? submits[0] ?? mine.find((el) => SUBMIT.test(caption(el)));
  }
  return buttons.find((el) => SUBMIT.test(caption(el)) && follows(el, field));
}

function caption(el: Element): string {
  return el instanceof HTMLInputElement ? el.value : (safe.textContent(el) ?? "") + " " + (safe.getAttribute(el, "aria-label") ?? "");
}
