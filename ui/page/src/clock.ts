// The clock that code sets for pages, as Playwright's page.clock: Date, timers, frames and performance follow it in place of the
// machine's. It runs in the page's own world, and replaces functions there.

/** Step is a call of page.clock: what it was, when it was made by the machine's clock, and its time or duration in milliseconds. */
export interface Step {
  name: "install" | "fastForward" | "pauseAt" | "resume" | "runFor" | "setFixedTime" | "setSystemTime";
  at: number;
  value: number;
}

type Kind = "timer" | "interval" | "frame" | "idle";

interface Timer {
  id: number;
  kind: Kind;
  call: unknown;
  args: unknown[];
  delay: number;
  due: number; // in ticks
}

const firstId = 1e12; // far from the ids of the browser
const longest = 2 ** 31 - 1; // what a timer can wait for, in milliseconds
const chunk = 100; // milliseconds: how often the time follows the machine's where no timer is due
const name = "__usherClock";

// The functions of the browser.
const machine = {
  now: performance.now.bind(performance),
  setTimeout: setTimeout.bind(globalThis) as (call: () => void, delay?: number) => number,
  clearTimeout: clearTimeout.bind(globalThis),
};

class Clock {
  readonly machine = machine; // for waits of usher's own in the page
  private time = 0; // since 1970, in milliseconds
  private ticks = 0; // milliseconds since the clock began
  private origin = -1;
  private fixed = false;
  private followed: number | undefined; // up to which machine.now the time has followed the machine's; undefined while it is paused
  private readonly timers = new Map<number, Timer>();
  private lastId = firstId;
  private calling = false;
  private running: Promise<void> | undefined; // of due timers, while the time follows the machine's
  private alarm: { id: number; due: number } | undefined;

  // --- what the page reads ---

  now(): number {
    this.follow();
    return this.time;
  }

  elapsed(): number {
    this.follow();
    return this.ticks;
  }

  began(): number {
    return Math.max(this.origin, 0);
  }

  add(kind: Kind, call: unknown, wanted: unknown, args: unknown[]): number {
    const given = Number(wanted) || 0;
    const delay = given > longest || !Number.isFinite(given) ? (given > longest && Number.isFinite(given) ? 1 : 0) : Math.max(given, 0);
    const timer: Timer = { id: this.lastId++, kind, call, args, delay, due: this.ticks + (delay || (this.calling ? 1 : 0)) };
    this.timers.set(timer.id, timer);
    if (this.followed !== undefined) this.wake();
    return timer.id;
  }

  remove(id: unknown): void {
    this.timers.delete(Number(id));
  }

  toNextFrame(): number {
    return 16 - (this.ticks % 16);
  }

  get waits(): boolean {
    return this.timers.size > 0;
  }

  // --- what code calls ---

  install(time: number): void {
    if (this.origin < 0) this.ticks = 0;
    this.setSystemTime(time);
  }

  setSystemTime(time: number): void {
    this.time = time;
    this.fixed = false;
    if (this.origin < 0) this.origin = time;
  }

  setFixedTime(time: number): void {
    this.setSystemTime(time);
    this.fixed = true;
  }

  async runFor(milliseconds: number): Promise<void> {
    if (milliseconds < 0) throw new TypeError("Negative ticks are not supported");
    await this.alone(() => this.runTo(this.ticks + milliseconds));
  }

  async fastForward(milliseconds: number): Promise<void> {
    await this.alone(() => this.jumpTo(this.ticks + Math.trunc(milliseconds)));
  }

  async pauseAt(time: number): Promise<void> {
    await this.pause();
    await this.jumpTo(this.ticks + time - this.time);
  }

  resume(): void {
    this.followed = Math.ceil(machine.now());
    this.wake();
  }

  // replay does in a new document what was done in those before it. Timers are none yet.
  replay(steps: Step[]): void {
    let last: number | undefined;
    let paused = false;
    for (const { name, at, value } of steps) {
      if (last !== undefined && !paused) this.advance(this.ticks + Math.max(at - last, 0));
      last = at;
      switch (name) {
        case "install": case "setSystemTime": case "setFixedTime": this[name](value); break;
        case "fastForward": case "runFor": this.advance(this.ticks + value); break;
        case "pauseAt": this.setSystemTime(value); paused = true; break;
        case "resume": paused = false; break;
      }
    }
    if (last === undefined) return;
    if (paused) this.followed = undefined;
    else this.advance(this.ticks + Math.max(Date.now() - last, 0));
  }

  // --- the time ---

  private advance(to: number): void {
    if (to <= this.ticks) return; // it followed the machine's while timers ran
    if (!this.fixed) this.time += to - this.ticks;
    this.ticks = to;
  }

  private follow(): void {
    if (this.followed === undefined) return;
    const now = Math.ceil(machine.now());
    if (now <= this.followed) return;
    this.advance(this.ticks + now - this.followed);
    this.followed = now;
  }

  private first(until = Infinity): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers.values()) if (timer.due <= until && (!first || timer.due < first.due)) first = timer;
    return first;
  }

  // wake follows the machine's clock when the next timer is due.
  private wake(): void {
    if (this.running) return; // it wakes itself
    const due = Math.min(this.first()?.due ?? Infinity, this.ticks + chunk, this.alarm?.due ?? Infinity);
    if (this.alarm) machine.clearTimeout(this.alarm.id);
    const id = machine.setTimeout(() => {
      this.follow();
      this.running = this.runTo(this.ticks).catch((error: unknown) => console.error(error)).then(() => {
        this.running = this.alarm = undefined;
        if (this.followed !== undefined) this.wake();
      });
    }, due - this.ticks);
    this.alarm = { id, due };
  }

  private async pause(): Promise<void> {
    this.followed = undefined;
    if (this.alarm) machine.clearTimeout(this.alarm.id);
    await this.running;
    this.alarm = undefined;
  }

  // alone does something while the time does not follow the machine's.
  private async alone(what: () => Promise<void>): Promise<void> {
    if (this.followed === undefined) return what();
    await this.pause();
    try {
      await what();
    } finally {
      this.resume();
    }
  }

  private async jumpTo(to: number): Promise<void> {
    if (to < this.ticks) throw new Error("Cannot fast-forward to the past");
    for (const timer of this.timers.values()) timer.due = Math.max(timer.due, to);
    await this.runTo(to);
  }

  // runTo calls what is due. The first error is thrown at the end.
  private async runTo(until: number): Promise<void> {
    const to = Math.ceil(until);
    const errors: unknown[] = [];
    for (let timer = this.first(to); timer && this.ticks <= to; timer = this.first(to)) {
      this.advance(timer.due);
      if (timer.kind === "interval") timer.due += timer.delay;
      else this.timers.delete(timer.id);
      this.calling = true;
      try {
        this.call(timer);
      } catch (error) {
        errors.push(error);
      }
      await new Promise<void>((resolve) => machine.setTimeout(resolve)); // what it began goes on first
      this.calling = false;
    }
    this.advance(to);
    if (errors.length > 0) throw errors[0];
  }

  private call({ kind, call, args }: Timer): void {
    if (typeof call !== "function") return void (0, eval)(String(call));
    if (kind === "frame") call(this.ticks);
    else if (kind === "idle") call({ didTimeout: false, timeRemaining: () => 0 });
    else call(...args);
  }
}

// replace puts functions that follow the clock in the place of those of the page.
function replace(clock: Clock): void {
  const put = (on: object, functions: object): void => {
    for (const [key, value] of Object.entries(functions)) Object.defineProperty(on, key, { value, configurable: true, writable: true, enumerable: Object.prototype.propertyIsEnumerable.call(on, key) });
  };
  const clear = (id: unknown): void => clock.remove(id);
  put(globalThis, {
    setTimeout: (call: unknown, delay?: unknown, ...args: unknown[]) => clock.add("timer", call, delay, args),
    setInterval: (call: unknown, delay?: unknown, ...args: unknown[]) => clock.add("interval", call, delay, args),
    requestAnimationFrame: (call: unknown) => clock.add("frame", call, clock.toNextFrame(), []),
    requestIdleCallback: (call: unknown, options?: { timeout?: number }) => clock.add("idle", call, Math.min(options?.timeout ?? Infinity, clock.waits ? 50 : 0), []),
    clearTimeout: clear, clearInterval: clear, cancelAnimationFrame: clear, cancelIdleCallback: clear,
    Date: dateOf(clock),
  });
  put(performance, { now: () => clock.elapsed() });
  Object.defineProperty(performance, "timeOrigin", { get: () => clock.began(), configurable: true });
  put(AbortSignal, {
    timeout(delay: number): AbortSignal {
      const controller = new AbortController();
      clock.add("timer", () => controller.abort(new DOMException("signal timed out", "TimeoutError")), delay, []);
      return controller.signal;
    },
  });
  const stamps = new WeakMap<Event, number>();
  Object.defineProperty(Event.prototype, "timeStamp", {
    configurable: true, enumerable: true,
    get(this: Event): number {
      const stamp = stamps.get(this) ?? clock.elapsed();
      stamps.set(this, stamp);
      return stamp;
    },
  });
  put(Intl, { DateTimeFormat: formatOf(clock) });
}

function dateOf(clock: Clock): DateConstructor {
  const replaced: DateConstructor = new Proxy(Date, {
    apply: (of) => new of(clock.now()).toString(),
    construct: (of, args, target) => Reflect.construct(of, args.length > 0 ? args : [clock.now()], target === replaced ? of : target) as object,
    get: (of, key) => (key === "now" ? () => clock.now() : Reflect.get(of, key)) as unknown,
  });
  return replaced;
}

function formatOf(clock: Clock): typeof Intl.DateTimeFormat {
  const make = (of: typeof Intl.DateTimeFormat, args: unknown[]): Intl.DateTimeFormat => {
    const format = Reflect.construct(of, args) as Intl.DateTimeFormat;
    const { format: write, formatToParts } = format;
    Object.defineProperty(format, "format", { value: (date?: Date | number) => write.call(format, date ?? clock.now()) });
    Object.defineProperty(format, "formatToParts", { value: (date?: Date | number) => formatToParts.call(format, date ?? clock.now()) });
    return format;
  };
  return new Proxy(Intl.DateTimeFormat, { apply: (of, _, args) => make(of, args), construct: (of, args) => make(of, args) });
}

/** clockOf returns the clock of the document, which follows the machine's until a step says otherwise, after these steps of earlier ones. */
export function clockOf(steps: Step[]): Clock {
  const have = (globalThis as unknown as Record<string, Clock | undefined>)[name];
  if (have) return have;
  const clock = new Clock();
  clock.resume();
  clock.replay(steps);
  replace(clock);
  Object.defineProperty(globalThis, name, { value: clock });
  return clock;
}
