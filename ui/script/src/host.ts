// The daemon's side, as code sees it: operations, and the state of the tab that can be read without waiting.

import { calling, spoken } from "./called";
import { type Abortable, unlessAborted } from "./signal";

export interface Host {
  // call carries out an operation; done and fail convert its result and its error. label is what the code called, and begun gets the
  // number of the call.
  call(method: string, params: unknown, done?: (result: unknown) => unknown, fail?: (error: unknown) => unknown, label?: string, begun?: (id: number) => void): Promise<unknown>;
  // cancel ends a call.
  cancel(id: number): void;
  // post is call for what the code is not to await.
  post(method: string, params: unknown): Promise<unknown>;
  // uncaught ends the run with an error that nobody can catch.
  uncaught(error: unknown): void;
  onEvent(handler: (name: string, data: unknown) => void): void;
  display(value: unknown): void;
  onResult(handler: (value: unknown) => unknown): void;
  onSave(handler: () => string): void;
  config: Config;
  state: string; // what was saved before the realm was lost; empty in a realm that is kept
}

export interface Config {
  name: string; // of the tab
  target: string; // its target id
  page: PageState;
  timeout: number; // of the run, in milliseconds
  ends: number; // when that is over, as Date.now has it
  viewport?: Size; // of the session's pages; undefined if a person can resize the window, or if another program set it
  puppeteer: boolean; // the code is written for Puppeteer
  playwright?: boolean; // the code is for the tool execute
  workers?: boolean; // the code calls page.workers()
  emits?: boolean; // the code emits events of its own
  keep?: string; // whose realm is kept; undefined if it is not
}

// Size is that of a viewport, in CSS pixels, and what comes with it in Puppeteer.
export interface Size {
  width: number;
  height: number;
  deviceScaleFactor?: number;
  isMobile?: boolean;
  hasTouch?: boolean;
  isLandscape?: boolean;
}

// PageState is the state of a tab, as it comes with results and events. frames and tabs are there if they have changed.
export interface PageState {
  url: string;
  closed?: boolean;
  loader?: string;
  version?: number;
  frames?: FrameInfo[];
  tabs?: TabInfo[];
}

export interface FrameInfo {
  id: string;
  parent?: string;
  url: string;
  name?: string;
}

export interface TabInfo {
  id: string;
  opener?: string;
  url: string;
}

export type Values = Record<string, string | number | boolean | string[] | undefined>;

// defaultTimeout is how long a call may wait if the code does not say, in milliseconds.
export const defaultTimeout = 30_000;

export interface Timing extends Abortable {
  timeout?: number | undefined; // in milliseconds; 0 is the rest of the run
}

interface CommandResult {
  data: Record<string, unknown> | null;
  text: string;
  page: PageState;
}

// Known is what the code knows of the session: tabs, and the frames of each, by the tab.
export class Known {
  tabs: TabInfo[] = [];
  readonly frames = new Map<string, FrameInfo[]>();
  readonly states = new Map<string, PageState>(); // of tabs
  ready: Promise<unknown> | undefined; // what operations wait for
  private tabsVersion = 0;
  private readonly framesVersion = new Map<string, number>();

  // before makes the operations that follow wait for a promise.
  before(first: Promise<unknown>): void {
    const ready = Promise.all([this.ready, first]).then(() => {
      if (this.ready === ready) this.ready = undefined;
    });
    this.ready = ready;
    ready.catch(() => {}); // whatever waits for it tells of a failure
  }

  // renew forgets what operations of an earlier call wait for.
  renew(): void {
    this.ready = undefined;
  }

  take(tab: string, state: PageState): void {
    const version = state.version ?? 0;
    if (state.tabs && version >= this.tabsVersion) {
      this.tabsVersion = version;
      this.tabs = state.tabs;
    }
    if (state.frames && version >= (this.framesVersion.get(tab) ?? 0)) {
      this.framesVersion.set(tab, version);
      this.frames.set(tab, state.frames);
    }
    const last = this.states.get(tab);
    this.states.set(tab, state.closed ? { url: last?.url ?? "", closed: true } : { url: state.url, ...(state.loader ? { loader: state.loader } : {}) });
  }
}

// Daemon carries out operations for one tab.
export class Daemon {
  readonly defaults: { action?: number; navigation?: number } = {};

  // tab is the target id of the tab.
  constructor(readonly host: Host, readonly tab: string, readonly known: Known) {}

  // state is that of the tab.
  get state(): PageState {
    const state = this.known.states.get(this.tab);
    return state?.url ? state : { ...state, url: this.known.tabs.find((tab) => tab.id === this.tab)?.url ?? "" };
  }

  // timeout is that of a call's options, or the default that the code has set.
  timeout(timing: Timing | undefined): number | undefined {
    return timing?.timeout ?? this.defaults.action;
  }

  // command runs a command of usher's table and returns its data.
  async command<T = Record<string, unknown>>(name: string, values: Values = {}, timing: Timing = {}): Promise<T> {
    const result = (await this.call(name, { values, timeout: this.timeout(timing) }, timing.signal)) as CommandResult;
    return result.data as T;
  }

  // call carries out an operation, and takes over the state of the tab that comes with its result.
  async call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const label = calling();
    try {
      if (this.known.ready) await this.known.ready;
      const all = { tab: this.tab, ...(params as object) };
      if (!signal) return this.took(await this.host.call(method, all, undefined, undefined, label));
      let id = 0;
      const begin = () => this.host.call(method, all, undefined, undefined, label, (number) => (id = number));
      return this.took(await unlessAborted(signal, begin, () => this.host.cancel(id)));
    } catch (error) {
      throw named(error, method, params as Operation, this.host.config.puppeteer);
    }
  }

  // short is call without a promise of its own: code often makes thousands of calls one after the other. params have the tab.
  short(method: string, params: { tab: string; [name: string]: unknown }, done: (result: unknown) => unknown, fail: (error: unknown) => unknown): Promise<unknown> {
    if (this.known.ready) return this.call(method, params).then(done, fail);
    return this.host.call(method, params, (result) => done(this.took(result)), (error) => fail(named(error, method, params as Operation, this.host.config.puppeteer)));
  }

  // took takes over the state of the tab that comes with a result.
  private took(result: unknown): unknown {
    const state = (result as { page?: PageState } | null)?.page;
    if (state) this.known.take(this.tab, state);
    return result;
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
  "timeout", "element_not_found", "element_not_visible", "element_not_stable", "element_disabled", "element_covered", "element_readonly", "option_not_found",
]);

// Operation has what begins the messages of an operation's errors, besides its method.
interface Operation {
  command?: string;
  name?: string;
}

function named(error: unknown, method: string, params: Operation, puppeteer: boolean): unknown {
  const out = typed(error as Failure);
  if (out instanceof Error) spoken(out, method, [params.command ?? method, params.name ?? method, "find", "eval", "wait"], puppeteer);
  return out;
}

function typed(failure: Failure): Failure {
  if (!failure?.code || !timeouts.has(failure.code)) return failure;
  const out = new TimeoutError(failure.message) as Failure;
  out.code = failure.code;
  if (failure.stack !== undefined) out.stack = failure.stack; // where the code called
  if (failure.hint !== undefined) out.hint = failure.hint;
  if (failure.data !== undefined) out.data = failure.data;
  return out;
}
