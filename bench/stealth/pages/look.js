// What a script context says of the browser: the same code runs in pages, frames and workers of every kind. A value that a
// kind of context cannot have is null, and is not compared.
globalThis.look = async () => {
  const nav = navigator, data = nav.userAgentData;
  const intl = Intl.DateTimeFormat().resolvedOptions();
  const seen = {
    userAgent: nav.userAgent, appVersion: nav.appVersion, platform: nav.platform, vendor: nav.vendor ?? null,
    language: nav.language, languages: nav.languages.join(), hardwareConcurrency: nav.hardwareConcurrency, deviceMemory: nav.deviceMemory ?? null,
    webdriver: "webdriver" in nav ? String(nav.webdriver) : null,
    timeZone: intl.timeZone, locale: intl.locale, offset: [0, 3, 6, 9].map((m) => new Date(2026, m, 1).getTimezoneOffset()).join(),
    brands: data ? data.brands.map((b) => `${b.brand} ${b.version}`).join() : null, uaPlatform: data?.platform ?? null, uaMobile: data ? String(data.mobile) : null,
    hints: null, gl: null,
  };
  if (data) {
    const high = await data.getHighEntropyValues(["architecture", "bitness", "model", "platformVersion", "uaFullVersion", "fullVersionList", "wow64", "formFactors"]);
    seen.hints = JSON.stringify(Object.fromEntries(Object.entries(high).sort()));
  }
  if (typeof OffscreenCanvas === "function") {
    const gl = new OffscreenCanvas(1, 1).getContext("webgl");
    const names = gl?.getExtension("WEBGL_debug_renderer_info");
    seen.gl = gl ? [gl.VENDOR, gl.RENDERER, gl.VERSION, names?.UNMASKED_VENDOR_WEBGL, names?.UNMASKED_RENDERER_WEBGL].map((n) => n && gl.getParameter(n)).join(" | ") : "none";
  }
  // What the server got with a request of this context.
  seen.headers = await (await fetch(new URL("/headers?" + Math.random(), location.origin === "null" || location.protocol === "blob:" ? globalThis.origin : location.href))).json();
  return seen;
};
