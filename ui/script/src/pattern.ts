// Patterns of addresses: a glob or part of the text, a regular expression, or a function.

export type Pattern = string | RegExp | ((url: URL) => boolean | Promise<boolean>);

// globOf is the pattern as commands take it; undefined for one that is no text.
export function globOf(pattern: Pattern, method: string): string | undefined {
  if (typeof pattern === "string") return pattern;
  if (pattern instanceof RegExp || typeof pattern === "function") return undefined;
  throw new TypeError(`${method} needs a text, a regular expression or a function`);
}

// matcher returns the function that compares an address with a pattern.
export function matcher(pattern: Pattern, method: string, whole = false): (url: string) => boolean | Promise<boolean> {
  if (pattern instanceof RegExp) return (url) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(url);
  if (typeof pattern === "function") return (url) => pattern(new URL(url));
  if (typeof pattern !== "string") throw new TypeError(`${method} needs a text, a regular expression or a function`);
  if (!/[*{]/.test(pattern)) return whole ? (url) => url === pattern || url === `${pattern}/` : (url) => url.includes(pattern);
  const text = pattern.split(/(\*\*\/?|\*|\{[^{}]*\})/).map((part) => {
    if (part.startsWith("{")) return `(${part.slice(1, -1).split(",").map((one) => one.replace(/[.+?^${}()|[\]\\*]/g, "\\$&")).join("|")})`;
    if (part === "**/") return "(.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  }).join("");
  const expression = new RegExp(`^${text}$`);
  return (url) => expression.test(url);
}
