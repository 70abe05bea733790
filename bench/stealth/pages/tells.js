// Looks for what tells that a program drives or watches the page, without a contradiction in it.

/** watched counts what is read of values that are only logged: with Runtime.enable the browser reads them. */
const bait = `(() => {
  let read = 0;
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = () => { read++; return ""; };
  console.debug(new Error("bait"));
  Error.prepareStackTrace = before;
  const error = new Error("bait");
  Object.defineProperty(error, "stack", { get() { read++; return ""; } });
  console.debug(error, { get inside() { read++; return 1; } }, new Proxy({}, { ownKeys() { read++; return []; } }));
  return read;
})()`;

/** findTells returns what it finds; names in known are those of a detector. */
export async function findTells(known) {
  const out = [];
  if (navigator.webdriver) out.push("navigator.webdriver");
  if (/headless/i.test(navigator.userAgent)) out.push("a user agent of Headless");
  if ((0, eval)(bait)) out.push("Runtime.enable in the page");
  const worker = new Worker(URL.createObjectURL(new Blob([`postMessage(${bait})`])));
  if (await new Promise((done) => { worker.onmessage = (e) => done(e.data); })) out.push("Runtime.enable in a worker");
  worker.terminate();
  const began = performance.now();
  debugger;
  if (performance.now() - began > 50) out.push("a debugger");
  const names = [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document), ...document.documentElement.getAttributeNames()]
    .filter((n) => !known.has(n) && /usher|cdc_|webdriver|selenium|playwright|puppeteer|phantom|nightmare|__pw/i.test(n));
  if (names.length) out.push("names " + names);
  if (document.hidden || document.visibilityState !== "visible") out.push("a hidden page");
  if (!document.hasFocus()) out.push("a page without the focus");
  if (!window.chrome) out.push("no window.chrome");
  if (!navigator.plugins.length) out.push("no plugins");
  if (!matchMedia("(hover: hover) and (pointer: fine)").matches) out.push("no mouse");
  if ("modelContext" in document || "modelContext" in navigator) out.push("WebMCP");
  if (navigator.languages.length < 1) out.push("no language");
  if (Notification.permission === "denied") out.push("notifications denied");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (/^(Etc\/)?(UTC|GMT|UCT|Zulu|Universal|Greenwich)$/.test(zone)) out.push("time zone " + zone);
  const gl = document.createElement("canvas").getContext("webgl");
  const renderer = gl?.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) ?? "none";
  if (!gl || /swiftshader|llvmpipe|software/i.test(renderer)) out.push("software WebGL");
  return out;
}
