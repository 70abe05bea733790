// What the script engine offers besides the language, as far as this code uses it.

declare function setTimeout(callback: (value?: unknown) => void, milliseconds?: number): number;

declare class URL {
  constructor(url: string, base?: string);
  readonly href: string;
}
