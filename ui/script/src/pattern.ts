// Patterns of addresses, as Playwright has them: a glob for the whole address, a regular expression, or a function.

export type Pattern = string | RegExp | ((url: URL) => boolean | Promise<boolean>);

// globOf is the pattern as commands take it; undefined for one that is no text.
export function globOf(pattern: Pattern, method: string): string | undefined {
  if (typeof pattern === "string") return pattern;
  if (pattern instanceof RegExp || typeof pattern === "function") return undefined;
  throw new TypeError(`${method} needs a text, a regular expression or a function`);
}

// matcher returns the function that compares an address with a pattern. A text without a scheme is completed with the address of the page, base.
export function matcher(pattern: Pattern, method: string, base: string): (url: string) => boolean | Promise<boolean> {
  if (pattern instanceof RegExp) return (url) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(url);
  if (typeof pattern === "function") return (url) => pattern(new URL(url));
  if (typeof pattern !== "string") throw new TypeError(`${method} needs a text, a regular expression or a function`);
  const text = complete(pattern, base);
  const whole = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*$/i.test(text) ? `${text}/` : text; // an origin alone is the address of its root
  if (!/[*{]/.test(text)) return (url) => url === whole;
  const expression = new RegExp(`^${expressionOf(text)}$`);
  return (url) => expression.test(url);
}

function complete(pattern: string, base: string): string {
  if (/^([a-z][a-z0-9+.-]*:|\*)/i.test(pattern)) return pattern;
  const [, origin, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i.exec(base) ?? [];
  if (origin === undefined || path === undefined) return pattern;
  return origin + (pattern.startsWith("/") ? pattern : `${path.replace(/[^/]*$/, "") || "/"}${pattern}`);
}

// expressionOf is a glob as a regular expression: * is anything but a slash, ** anything, {a,b} one of several.
function expressionOf(glob: string): string {
  return glob.split(/(\*\*\/?|\*|\{[^{}]*\})/).map((part) => {
    if (/^\{.*\}$/s.test(part)) return `(${part.slice(1, -1).split(",").map(expressionOf).join("|")})`;
    if (part === "**/") return "(.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  }).join("");
}
