// Selectors of Playwright and Puppeteer in the notation of usher's commands: parts joined by " >> ".

// normal returns a selector as code wrote it in usher's notation.
export function normal(selector: unknown, method: string): string {
  if (typeof selector !== "string") throw new TypeError(`${method} needs a selector as text, not ${selector === null ? "null" : typeof selector}`);
  const capture = captured(selector.trim());
  if (capture) return join(normal(capture.outer, method), capture.inner && `has=${quoted(normal(capture.inner, method))}`);
  // CSS pierces open shadow roots: Puppeteer's combinators for that are descendants.
  const text = selector.trim().replace(/^>>>>?\s*/, "").replace(/\s*>>>>?\s*/g, " >> ");
  const puppeteer = /^(p-)?(text|xpath|pierce|aria)\/([^]*)$/.exec(text);
  if (puppeteer) return ofHandler(puppeteer[2] as string, puppeteer[3] as string);
  const named = /^(label|placeholder|testid|alt|title|role)\/([^]*)$/.exec(text);
  if (named) return named[1] === "role" ? `role=${named[2]}` : `${named[1]}=${named[2]}`;
  const unknown = /^p-([\w-]+)\//.exec(text);
  if (unknown) throw new Error(`There is no selector prefix p-${unknown[1]}/. Use text/, xpath/, pierce/ or aria/, or CSS.`);
  const id = /^(id|data-testid|data-test-id|data-test)=("?)([\w-]+)\2$/.exec(text); // Playwright's engines for attributes
  if (id) return `[${id[1]}="${id[3]}"]`;
  if (/^(?:"[^"]*"|'[^']*')$/.test(text)) return `text=${text}`; // a text in quotes, to Playwright
  if (text.startsWith("aria-ref=")) return `@${text.slice("aria-ref=".length)}`;
  const pseudo = /^([^]*?)::-p-(text|xpath|aria)\(([^]*)\)$/.exec(text);
  if (pseudo) {
    const inner = ofHandler(pseudo[2] as string, unquote(pseudo[3] as string));
    return pseudo[1] ? `${pseudo[1].trim()} >> ${inner}` : inner;
  }
  return text;
}

// captured is Playwright's selector of what a part with a star finds, which contains what the parts after it find.
function captured(selector: string): { outer: string; inner: string } | undefined {
  if (!/(^|>> *)\*\w+=/.test(selector)) return undefined;
  const parts = selector.split(/ *>> *(?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
  const at = parts.findIndex((part) => /^\*\w+=/.test(part));
  if (at < 0) return undefined;
  if (parts.slice(at + 1).some((part) => /^nth=/.test(part))) throw new Error("nth= cannot follow a part with a star: use locator.nth(index)");
  const outer = [...parts.slice(0, at), (parts[at] as string).slice(1)].join(" >> ");
  return { outer, inner: parts.slice(at + 1).join(" >> ") };
}

function ofHandler(handler: string, value: string): string {
  switch (handler) {
    case "text": return `text=${value}`;
    case "xpath": return `xpath=${value}`;
    case "pierce": return value;
  }
  const role = /\[role=["']?([^"'\]]+)["']?\]/.exec(value)?.[1];
  const name = /\[name=["']?([^"'\]]+)["']?\]/.exec(value)?.[1] ?? value.replace(/\[[^\]]*\]/g, "").trim();
  return role ? `role=${role}${name ? `[name=${JSON.stringify(name)}s]` : ""}` : `name=${JSON.stringify(name)}`;
}

function unquote(text: string): string {
  const match = /^\s*(["'])([^]*)\1\s*$/.exec(text);
  return match ? (match[2] as string) : text;
}

export interface RoleOptions {
  name?: string | RegExp;
  exact?: boolean;
  checked?: boolean;
  disabled?: boolean;
  expanded?: boolean;
  includeHidden?: boolean;
  level?: number;
  pressed?: boolean;
  selected?: boolean;
}

export interface TextOptions {
  exact?: boolean;
}

// wanted writes a text or regular expression that something is compared with.
export function wanted(what: string | RegExp, exact = false): string {
  if (what instanceof RegExp) return String(what);
  return JSON.stringify(what) + (exact ? "s" : "i");
}

export function role(name: string, options: RoleOptions = {}): string {
  let out = `role=${name}`;
  if (options.name !== undefined) out += `[name=${wanted(options.name, options.exact)}]`;
  for (const state of ["checked", "disabled", "expanded", "pressed", "selected"] as const) {
    if (options[state] !== undefined) out += `[${state}=${options[state]}]`;
  }
  if (options.level !== undefined) out += `[level=${options.level}]`;
  if (options.includeHidden) out += "[include-hidden]";
  return out;
}

// quoted writes a selector inside of another.
export function quoted(selector: string): string {
  return JSON.stringify(selector);
}

export function join(outer: string, inner: string): string {
  return outer && inner ? `${outer} >> ${inner}` : outer || inner;
}
