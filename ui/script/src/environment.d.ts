// What the script engine offers besides the language, as far as this code uses it.

declare function setTimeout(callback: (value?: unknown) => void, milliseconds?: number): number;

declare class URL {
  constructor(url: string, base?: string);
  readonly href: string;
  readonly protocol: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  search: string;
  hash: string;
}

declare const crypto: { randomUUID(): string };

declare function clearTimeout(timer: number | undefined): void;

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(text: string);
  append(name: string, value: string): void;
  toString(): string;
  [Symbol.iterator](): Iterator<[string, string]>;
}

declare class AbortSignal {
  static any(signals: AbortSignal[]): AbortSignal;
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
