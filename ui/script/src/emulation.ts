// What a page sees of its device: through the commands "set ...", which hold for every tab of the session.

import type { Size } from "./host";
import type { Page } from "./page";

export interface Position {
  latitude: number;
  longitude: number;
  accuracy?: number;
}

export interface Media {
  media?: string | null;
  colorScheme?: string | null;
  reducedMotion?: string | null;
  forcedColors?: string | null;
  contrast?: string | null;
}

export async function viewport(page: Page, size: Size): Promise<void> {
  const { width, height } = size;
  if (typeof width !== "number" || typeof height !== "number") throw new TypeError("setViewport needs {width, height}");
  const before = page.viewport();
  const mobile = size.isMobile ?? (before?.isMobile ? false : undefined);
  await page.daemon.command("set viewport", { mobile, width: String(width), height: String(height), scale: size.deviceScaleFactor === undefined ? undefined : String(size.deviceScaleFactor) });
  const touch = size.hasTouch ?? false;
  if (touch !== (before?.hasTouch ?? false)) {
    await page.daemon.command("cdp", { method: "Emulation.setTouchEmulationEnabled", params: JSON.stringify({ enabled: touch }) });
  }
  page.daemon.host.config.viewport = { ...size };
  // A document learns when it is loaded that the device has a touchscreen: Puppeteer loads it again.
  if (page.daemon.host.config.puppeteer && touch && !before?.hasTouch) await page.reload();
}

export async function userAgent(page: Page, agent: string | { userAgent: string }): Promise<void> {
  await page.daemon.command("set useragent", { text: [typeof agent === "string" ? agent : agent.userAgent] });
}

export async function media(page: Page, options: Media): Promise<void> {
  const features: string[] = [];
  if (options.media !== undefined) features.push(`media=${options.media ?? "default"}`);
  if (options.colorScheme !== undefined) features.push(`color-scheme=${options.colorScheme ?? "no-preference"}`);
  if (options.reducedMotion !== undefined) features.push(`reduced-motion=${options.reducedMotion ?? "default"}`);
  if (options.forcedColors !== undefined) features.push(`forced-colors=${options.forcedColors ?? "default"}`);
  if (options.contrast !== undefined) features.push(`contrast=${options.contrast ?? "default"}`);
  if (features.length > 0) await page.daemon.command("set media", { features });
}

const names: Record<string, keyof Media> = {
  "prefers-color-scheme": "colorScheme", "prefers-reduced-motion": "reducedMotion", "forced-colors": "forcedColors", "prefers-contrast": "contrast",
};

export async function mediaFeatures(page: Page, features: { name: string; value: string }[] | null): Promise<void> {
  if (features === null) return media(page, { colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null });
  const options: Media = {};
  for (const { name, value } of features) {
    const key = names[name];
    if (!key) throw new TypeError(`emulateMediaFeatures: ${name} cannot be set. Those that can: ${Object.keys(names).join(", ")}.`);
    options[key] = value;
  }
  await media(page, options);
}

export async function geolocation(page: Page, at: Position | null): Promise<void> {
  if (at === null) return void (await page.daemon.command("set geo", { latitude: "default" }));
  await page.daemon.command("set geo", { latitude: String(at.latitude), longitude: String(at.longitude), accuracy: String(at.accuracy ?? 0) });
}

export async function credentials(page: Page, login: { username: string; password: string } | null): Promise<void> {
  if (!login) throw new TypeError("authenticate needs {username, password}: a login that was set holds until the session ends");
  await page.daemon.command("set credentials", { username: login.username, password: login.password });
}
