// Keyboard, mouse and touchscreen.

import { called, says } from "./called";
import type { Daemon } from "./host";

export class Keyboard {
  constructor(private readonly daemon: Daemon) {}

  // press accepts Puppeteer's option text, which is what the key writes.
  async press(key: string, options: { delay?: number; text?: string } = {}): Promise<void> {
    if (options.text !== undefined) return this.insertText(options.text);
    if (!options.delay) return this.key("press", key);
    await this.down(key);
    await new Promise((resolve) => setTimeout(resolve, options.delay));
    await this.up(key);
  }

  async down(key: string): Promise<void> {
    await this.key("keydown", key);
  }

  async up(key: string): Promise<void> {
    await this.key("keyup", key);
  }

  private async key(command: string, key: string): Promise<void> {
    await this.daemon.command(command, { key: chord(key) }).catch((error: Error & { code?: string }) => {
      if (error.code === "unknown_key") says(error, "keyboard.press", `: Unknown key: "${key}"`);
      throw error;
    });
  }

  async type(text: string, options: { delay?: number } = {}): Promise<void> {
    for (const part of options.delay ? text : text.split(/(\t)/)) {
      if (part === "\t") await this.insertText(part); // a key of the command, a character of both libraries
      else if (part !== "") await this.daemon.command("keyboard type", { text: [part] });
      if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay));
    }
  }

  async insertText(text: string): Promise<void> {
    await this.daemon.command("keyboard inserttext", { text: [text] });
  }

  async sendCharacter(text: string): Promise<void> {
    await this.insertText(text);
  }
}

function chord(key: string): string {
  return key.replace("ControlOrMeta", "Control");
}

interface Button {
  button?: "left" | "right" | "middle";
}

export class Mouse {
  dragging = false; // an element handle is dragged

  constructor(private readonly daemon: Daemon) {}

  async move(x: number, y: number, options: { steps?: number } = {}): Promise<void> {
    await this.daemon.command("mouse move", { x, y, steps: options.steps });
  }

  private readonly pressed = new Set<Button["button"]>();

  async down(options: Button = {}): Promise<void> {
    await this.daemon.command("mouse down", { button: options.button });
    this.pressed.add(options.button ?? "left");
  }

  async up(options: Button = {}): Promise<void> {
    await this.daemon.command("mouse up", { button: options.button });
    this.pressed.delete(options.button ?? "left");
  }

  // reset is Puppeteer's: it releases what is pressed, and moves to the corner.
  async reset(): Promise<void> {
    for (const button of [...this.pressed]) await this.up({ button });
    await this.move(0, 0);
  }

  async click(x: number, y: number, options: Button & { clickCount?: number; count?: number } = {}): Promise<void> {
    await this.daemon.command("click", { at: `${x},${y}`, button: options.button, count: options.clickCount ?? options.count });
  }

  async dblclick(x: number, y: number, options: Button = {}): Promise<void> {
    await this.click(x, y, { ...options, clickCount: 2 });
  }

  // wheel accepts Playwright's (x, y) and Puppeteer's ({deltaX, deltaY}).
  async wheel(deltaX: number | { deltaX?: number; deltaY?: number } = {}, deltaY = 0): Promise<void> {
    const by = typeof deltaX === "number" ? { deltaX, deltaY } : deltaX;
    await this.daemon.command("mouse wheel", { dy: by.deltaY ?? 0, dx: by.deltaX ?? 0 });
  }

  async dragAndDrop(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
    await this.move(from.x, from.y);
    await this.down();
    await this.move(to.x, to.y, { steps: 10 });
    await this.up();
  }
}

export class Touchscreen {
  constructor(private readonly daemon: Daemon) {}

  async tap(x: number, y: number): Promise<void> {
    await this.daemon.call("page.touch", { x, y });
  }

  // touchStart, touchMove and touchEnd are Puppeteer's, for one finger.
  async touchStart(x: number, y: number): Promise<Touch> {
    await this.daemon.call("page.touch", { x, y, type: "touchStart" });
    return new Touch(this);
  }

  async touchMove(x: number, y: number): Promise<void> {
    await this.daemon.call("page.touch", { x, y, type: "touchMove" });
  }

  async touchEnd(): Promise<void> {
    await this.daemon.call("page.touch", { type: "touchEnd" });
  }
}

// Touch is a finger that touches the page.
export class Touch {
  constructor(private readonly screen: Touchscreen) {}

  async move(x: number, y: number): Promise<void> {
    await this.screen.touchMove(x, y);
  }

  async end(): Promise<void> {
    await this.screen.touchEnd();
  }
}
called(Keyboard, "keyboard");
called(Mouse, "mouse");
called(Touchscreen, "touchscreen");
