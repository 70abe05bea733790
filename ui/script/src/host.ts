// The daemon's side, as code sees it: operations, and the state of the tab that can be read without waiting.

export interface Host {
  call(method: string, params: unknown): Promise<unknown>;
  onEvent(handler: (name: string, data: unknown) => void): void;
  display(value: unknown): void;
  config: Config;
}

export interface Config {
  name: string; // of the tab
  target: string; // its target id
  page: PageState;
  timeout: number; // of the run, in milliseconds
}

export interface PageState {
  url: string;
  closed?: boolean;
}

export type Values = Record<string, string | number | boolean | string[] | undefined>;

export interface Timing {
  timeout?: number | undefined; // in milliseconds; 0 is the rest of the run
  waits?: boolean; // for something of the page's own, such as a load
}

interface CommandResult {
  data: Record<string, unknown> | null;
  text: string;
  page: PageState;
}

// Daemon carries out operations for one tab.
export class Daemon {
  private ready: Promise<unknown> | undefined;

  // tab is the target id of the tab; undefined for that of the run.
  constructor(readonly host: Host, public state: PageState = host.config.page, readonly tab?: string) {}

  // before makes the operations that follow wait for a promise.
  before(first: Promise<unknown>): void {
    const ready = Promise.all([this.ready, first]).then(() => {
      if (this.ready === ready) this.ready = undefined;
    });
    this.ready = ready;
  }

  // command runs a command of usher's table and returns its data.
  async command<T = Record<string, unknown>>(name: string, values: Values = {}, timing: Timing = {}): Promise<T> {
    const result = (await this.call(name, { values, ...timing })) as CommandResult;
    return result.data as T;
  }

  // call carries out an operation, and takes over the state of the tab that comes with its result.
  async call(method: string, params: unknown): Promise<unknown> {
    try {
      if (this.ready) await this.ready;
      const result = await this.host.call(method, this.tab ? { tab: this.tab, ...(params as object) } : params);
      const state = (result as { page?: PageState } | null)?.page;
      if (state) this.state = state;
      return result;
    } catch (error) {
      throw named(error);
    }
  }
}

// TimeoutError is the error of waits that took too long, with the name that Playwright and Puppeteer give it.
export class TimeoutError extends Error {
  override name = "TimeoutError";
}

interface Failure extends Error {
  code?: string;
  hint?: string;
  data?: unknown;
}

// The codes of errors that Playwright and Puppeteer report as a TimeoutError: what was waited for did not come.
const timeouts = new Set([
  "timeout", "element_not_found", "element_not_visible", "element_not_stable", "element_disabled", "element_covered", "element_readonly",
]);

function named(error: unknown): unknown {
  const failure = error as Failure;
  if (!failure?.code || !timeouts.has(failure.code)) return error;
  const out = new TimeoutError(failure.message) as Failure;
  out.code = failure.code;
  if (failure.hint !== undefined) out.hint = failure.hint;
  if (failure.data !== undefined) out.data = failure.data;
  return out;
}
