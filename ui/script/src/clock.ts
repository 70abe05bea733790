// The clock of the pages: Playwright's page.clock. The time is set in every document of the session (ui/page/src/clock.ts).

import { called, calling, says } from "./called";
import type { Daemon } from "./host";
import { known } from "./known";

type Time = number | string | Date;

export class Clock {
  constructor(private readonly daemon: () => Daemon) {}

  private async step(name: string, value = 0): Promise<void> {
    try {
      await this.daemon().call("page.clock", { name, value });
    } catch (error) {
      // What a timer threw, or the clock itself.
      if ((error as { code?: string }).code === "evaluation_failed") says(error as Error, `clock.${name}`, `: ${(error as Error).message.replace(/^Evaluation error: /, "").split("\n    at ")[0] as string}`);
      throw error;
    }
  }

  async install(options: { time?: Time } = {}): Promise<void> {
    await this.step("install", options.time === undefined ? Date.now() : timeOf(options.time));
  }

  async fastForward(ticks: number | string): Promise<void> {
    await this.step("fastForward", ticksOf(ticks));
  }

  async pauseAt(time: Time): Promise<void> {
    await this.step("pauseAt", timeOf(time));
  }

  async resume(): Promise<void> {
    await this.step("resume");
  }

  async runFor(ticks: number | string): Promise<void> {
    await this.step("runFor", ticksOf(ticks));
  }

  async setFixedTime(time: Time): Promise<void> {
    await this.step("setFixedTime", timeOf(time));
  }

  async setSystemTime(time: Time): Promise<void> {
    await this.step("setSystemTime", timeOf(time));
  }
}

// wrong is the error of an argument.
function wrong(text: string): Error {
  const error = new Error();
  says(error, calling() ?? "clock", `: ${text}`);
  return error;
}

// timeOf is a time in milliseconds since 1970.
function timeOf(time: Time): number {
  const value = time === "" ? 0 : new Date(time).getTime();
  if (!Number.isFinite(value)) throw wrong(`Invalid date: ${String(time)}`);
  return value;
}

// ticksOf is a duration in milliseconds, which may be written as "mm:ss" or "hh:mm:ss".
function ticksOf(ticks: number | string): number {
  if (typeof ticks === "number") return ticks;
  if (ticks === "") return 0;
  if (!/^(\d\d:){0,2}\d\d?$/.test(ticks)) throw wrong("Clock only understands numbers, 'mm:ss' and 'hh:mm:ss'");
  const parts = ticks.split(":").map(Number);
  if (parts.some((part) => part >= 60)) throw wrong(`Invalid time ${ticks}`);
  return parts.reduce((sum, part) => sum * 60 + part, 0) * 1000;
}

known(Clock, "the clock");
called(Clock, "clock");
