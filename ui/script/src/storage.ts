// Playwright's page.localStorage and page.sessionStorage.

import { called } from "./called";
import { known } from "./known";
import type { Page } from "./page";

export class WebStorage {
  constructor(private readonly page: Page, private readonly kind: "localStorage" | "sessionStorage") {}

  async getItem(name: string): Promise<string | null> {
    return (await this.run("(kind, name) => window[kind].getItem(name)", name)) as string | null;
  }

  async setItem(name: string, value: string): Promise<void> {
    await this.run("(kind, name, value) => window[kind].setItem(name, value)", name, value);
  }

  async removeItem(name: string): Promise<void> {
    await this.run("(kind, name) => window[kind].removeItem(name)", name);
  }

  async clear(): Promise<void> {
    await this.run("(kind) => window[kind].clear()");
  }

  async items(): Promise<{ name: string; value: string }[]> {
    return (await this.run("(kind) => Object.entries(window[kind]).map(([name, value]) => ({name, value}))")) as { name: string; value: string }[];
  }

  private async run(code: string, ...args: string[]): Promise<unknown> {
    return this.page.evaluate(code, this.kind, ...args);
  }
}

known(WebStorage, "a storage");
called(WebStorage, "webStorage");
