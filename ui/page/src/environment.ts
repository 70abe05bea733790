export interface Environment {
  width: number; // of the viewport, in CSS pixels, with scrollbars
  height: number;
  deviceScaleFactor: number;
  screen: { width: number; height: number };
  touch: boolean;
  userAgent: string;
  platform: string;
  timezone: string;
  locale: string; // of formats
  languages: readonly string[];
  media: string;
  colorScheme: string;
  reducedMotion: string;
  forcedColors: string;
  contrast: string;
  online: boolean;
}

/** environment is what a page can find out about the device that it is shown on. */
export function environment(): Environment {
  const is = (query: string): boolean => matchMedia(query).matches;
  const of = (feature: string, values: string[]): string => values.find((v) => is(`(${feature}: ${v})`)) ?? "";
  const scale = visualViewport?.scale ?? 1;
  const formats = Intl.DateTimeFormat().resolvedOptions();
  return {
    // A mobile page without a viewport meta tag is laid out 980 CSS pixels wide and shrunk to the device.
    width: scale === 1 ? innerWidth : Math.round(innerWidth * scale),
    height: scale === 1 ? innerHeight : Math.round(innerHeight * scale),
    deviceScaleFactor: devicePixelRatio,
    screen: { width: screen.width, height: screen.height },
    touch: navigator.maxTouchPoints > 0,
    userAgent: navigator.userAgent,
    platform: navigator.platform,
    timezone: formats.timeZone,
    locale: formats.locale,
    languages: navigator.languages,
    media: is("print") ? "print" : "screen",
    colorScheme: of("prefers-color-scheme", ["dark", "light"]),
    reducedMotion: of("prefers-reduced-motion", ["reduce", "no-preference"]),
    forcedColors: of("forced-colors", ["active", "none"]),
    contrast: of("prefers-contrast", ["more", "less", "custom", "no-preference"]),
    online: navigator.onLine,
  };
}

/** permissions are the states of permissions by name; those that the page cannot ask for are missing. */
export async function permissions(arg: { names: string[] }): Promise<Record<string, string>> {
  const states: Record<string, string> = {};
  for (const name of arg.names) {
    try {
      // Not in an insecure page.
      states[name] = (await navigator.permissions.query({ name: name as PermissionName })).state;
    } catch {
      continue;
    }
  }
  return states;
}
