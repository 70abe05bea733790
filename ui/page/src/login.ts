// The fields of a login form.

import * as safe from "./safe";
import { page } from "./safe";
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
}

const USERNAME = /user|login|email|e-mail|account|identifier|userid|uname/i;
const CODE = /otp|totp|one.?time|mfa|2fa|verification|auth(entication)?.?code|passcode/i;
const SUBMIT = /log ?in|sign ?in|continue|next|submit|verify|anmelden|weiter/i;
const ENTRY = new Set(["text", "email", "tel", "url", "search", "number", "password"]);

/** loginForm finds the fields of the login form that is shown. */
export function loginForm(wanted: Wanted): LoginForm {
  const inputs = all("input").filter((el): el is HTMLInputElement => el instanceof HTMLInputElement && ENTRY.has(el.type) && usable(el));
  const password = own(wanted.password) ?? inputs.find((el) => el.type === "password" && !isCode(el));
  const code = inputs.find((el) => el !== password && isCode(el));
  const scope = password instanceof HTMLInputElement && password.form ? password.form : page.body;
  const texts = inputs.filter((el) => el !== password && el !== code && el.type !== "password" && el.type !== "search");
  const inScope = texts.filter((el) => scope === page.body || el.form === scope);
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
    submit: idOrZero(own(wanted.submit) ?? (anchor ? submitOf(anchor) : undefined)),
    alerts: all("[role=alert], [aria-live=assertive], .error, .alert, .invalid-feedback").filter(usable)
      .map((el) => safe.innerText(el as HTMLElement).replace(/\s+/g, " ").trim()).filter((t) => t !== "").slice(0, 3).map((t) => t.slice(0, 200)),
  };
}

function all(selector: string): Element[] { return Array.from(page.querySelectorAll(selector)); }

function idOrZero(el: Element | undefined): number { return el ? idOf(el) : 0; }

function own(selector: string): Element | undefined { return selector ? all(selector).find(usable) : undefined; }

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
  return fields.filter((f) => (safe.compareDocumentPosition(f, el) & 4) !== 0).at(-1);
}

// submitOf returns the button that sends the form of a field.
function submitOf(field: Element): Element | undefined {
  const form = field instanceof HTMLInputElement ? field.form : null;
  const buttons = all("button, input[type=submit], input[type=image], [role=button]").filter((el) => usable(el) && !(el as HTMLButtonElement).disabled);
  if (form) {
    const mine = buttons.filter((el) => (el as HTMLButtonElement).form === form);
    const submits = mine.filter((el) => (el as HTMLButtonElement).type === "submit" || (el as HTMLInputElement).type === "image");
    return submits.find((el) => SUBMIT.test(caption(el))) ?? submits[0] ?? mine.find((el) => SUBMIT.test(caption(el)));
  }
  return buttons.find((el) => SUBMIT.test(caption(el)) && (safe.compareDocumentPosition(field, el) & 4) !== 0);
}

function caption(el: Element): string {
  return el instanceof HTMLInputElement ? el.value : (safe.textContent(el) ?? "") + " " + (safe.getAttribute(el, "aria-label") ?? "");
}
