// What the code called: errors, and warnings of calls that were not awaited, name that, and not what it is made of.

let current: string | undefined;

// calling is the method that the code is calling, if it has not awaited anything yet.
export function calling(): string | undefined {
  return current;
}

const following = new WeakMap<Error, string>(); // the text of a message that follows the name of what was called

// says gives an error a message whose first part is the name of what was called: label, until a method around it has another name.
export function says(error: Error, label: string, text: string): void {
  following.set(error, text);
  error.message = label + text;
}

// called names the methods of a class in their errors, except some, of which code makes thousands of calls. It runs before each run for
// some hundred methods, so it defines as little as possible.
export function called(of: { prototype: object }, label: string | ((self: object) => string), except: string[] = []): void {
  const prototype = of.prototype as Record<string, unknown>;
  const labelOf = typeof label === "string" ? () => label : label;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name === "constructor" || except.includes(name)) continue;
    const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method === "function") prototype[name] = naming(method as Method, name, labelOf);
  }
}

type Method = (...args: unknown[]) => unknown;

function naming(method: Method, name: string, label: (self: object) => string): Method {
  return function (this: object, ...args: unknown[]): unknown {
    const outer = current;
    current ??= `${label(this)}.${name}`;
    try {
      const returned = Reflect.apply(method, this, args);
      return returned instanceof Promise ? returned.then(undefined, (error: unknown) => rename(error, `${label(this)}.${name}`)) : returned;
    } finally {
      current = outer;
    }
  };
}

function rename(error: unknown, label: string): never {
  throw renamed(error, label);
}

// renamed gives the error of a method another name for what was called, if its message begins with one, and returns it.
export function renamed(error: unknown, label: string): unknown {
  const text = error instanceof Error ? following.get(error) : undefined;
  if (text !== undefined) (error as Error).message = label + text;
  return error;
}

interface Failure extends Error {
  code?: string;
  hint?: string;
}

// spoken rewrites the error of an operation for code: words of the command line become those of the libraries. operations are the words
// with which its message may begin.
export function spoken(error: Failure, method: string, operations: string[], puppeteer: boolean): void {
  if (typeof error.code !== "string" || error.code === "evaluation_failed" || error.message.startsWith("Protocol error")) return;
  const text = after(error.message, operations);
  if (puppeteer && text.startsWith(": net::")) error.message = text.slice(2); // Puppeteer's has no name before it
  else says(error, method, text);
  const hint = error.hint?.replace(/\s*Usage: usher [^]*$/, "");
  if (hint) error.hint = hint;
  else delete error.hint;
}

// options are flags of commands whose name is another one in the libraries.
const options: Record<string, string> = { "screenshot-format": "type", "screenshot-quality": "quality" };

function after(message: string, operations: string[]): string {
  for (const operation of operations) {
    if (message.startsWith(`${operation} `) || message.startsWith(`${operation}:`)) return message.slice(operation.length);
  }
  const text = message
    .replace(/^Navigation failed: /, "")
    .replace(/^Wait timed out after (\d+)ms: (wait )?(--\w+ )?/, "Timeout $1ms exceeded: ")
    .replace(/^<(\w+)>: /, "$1: ")
    .replace(/^--([\w-]+): /, (_, name: string) => `${options[name] ?? name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}: `);
  return `: ${text}`;
}
