// Looks for what a patched page has and a browser as shipped has not: functions that are not native, properties that moved, values that exclude
// each other, and pictures and sounds that differ from one time to the next.

const out = [];
const lie = (what) => out.push(what);

/** other returns the window of a frame, whose functions a patch of this page does not reach. */
function other() {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  return frame;
}

/** natives are functions and accessors that stealth scripts replace, as [owner, name]. */
const natives = () => [
  [Navigator.prototype, "webdriver", "userAgent", "platform", "languages", "language", "plugins", "mimeTypes", "hardwareConcurrency", "deviceMemory", "vendor", "appVersion", "permissions", "userAgentData"],
  [Screen.prototype, "width", "height", "availWidth", "availHeight", "colorDepth", "pixelDepth"],
  [Document.prototype, "hidden", "visibilityState", "hasFocus"],
  [HTMLElement.prototype, "offsetHeight", "offsetWidth"],
  [HTMLIFrameElement.prototype, "contentWindow", "contentDocument", "srcdoc"],
  [HTMLCanvasElement.prototype, "toDataURL", "toBlob", "getContext"],
  [CanvasRenderingContext2D.prototype, "getImageData", "fillText", "measureText"],
  [WebGLRenderingContext.prototype, "getParameter", "getShaderPrecisionFormat", "getExtension", "readPixels"],
  [WebGL2RenderingContext.prototype, "getParameter", "getShaderPrecisionFormat", "getExtension"],
  [BaseAudioContext.prototype, "sampleRate"], [AudioContext.prototype, "baseLatency", "outputLatency"],
  [OfflineAudioContext.prototype, "startRendering"], [AudioBuffer.prototype, "getChannelData"],
  [HTMLMediaElement.prototype, "canPlayType"], [MediaDevices.prototype, "enumerateDevices"], [Permissions.prototype, "query"],
  [Date.prototype, "getTimezoneOffset", "toString", "toLocaleString"], [Intl.DateTimeFormat.prototype, "resolvedOptions"],
  [Function.prototype, "toString", "call", "apply", "bind"], [Object, "getOwnPropertyDescriptor", "defineProperty", "getOwnPropertyNames"],
  [Element.prototype, "attachShadow", "innerHTML"], [Node.prototype, "appendChild"],
  [window, "alert", "prompt", "confirm", "fetch", "open", "outerWidth", "outerHeight", "innerWidth", "innerHeight", "devicePixelRatio", "chrome", "queryLocalFonts"],
  [window, "Worker", "SharedWorker", "WebSocket", "XMLHttpRequest", "Notification", "Proxy", "Function", "Error"],
];

function checkFunction(name, fn, theirs) {
  const source = theirs.Function.prototype.toString.call(fn);
  if (!/^(?:function|class) ?[\w ]*\(?.*\{\s*\[native code\]\s*\}$/.test(source)) lie(`${name} is not native: ${source.slice(0, 80)}`);
  if (Function.prototype.toString.call(fn) !== source) lie(`${name}: this window's toString says otherwise than another's`);
  for (const own of ["toString", "valueOf"]) if (Object.hasOwn(fn, own)) lie(`${name} has its own ${own}`);
  if (typeof fn.prototype === "undefined" && fn !== Proxy) { // methods and accessors
    const extra = theirs.Object.getOwnPropertyNames(fn).filter((n) => n !== "length" && n !== "name");
    if (extra.length) lie(`${name} has ${extra}`);
    try { theirs.Reflect.construct(Object, [], fn); lie(`${name} can be constructed`); } catch { /* as it should be */ }
    // A method that is called on null fails in the engine: a Proxy or a wrapper shows in the stack.
    try { Object.setPrototypeOf(fn, fn); lie(`${name} accepts itself as its prototype`); } catch (e) {
      if (!(e instanceof TypeError) || /Reflect|Proxy/.test(e.stack)) lie(`${name} fails otherwise than the browser's own: ${e.message}`);
    } finally { /* a cycle is refused, so nothing changed */ }
  }
}

function checkNatives(theirs) {
  for (const [owner, ...names] of natives()) {
    for (const name of names) {
      const full = `${owner === window ? "window" : owner.constructor === Function ? owner.name : owner[Symbol.toStringTag] ?? owner.constructor.name}.${name}`;
      const own = theirs.Object.getOwnPropertyDescriptor(owner, name);
      if (!own) continue; // not in this build
      for (const fn of [own.get, own.set, own.value]) if (typeof fn === "function") checkFunction(full, fn, theirs);
      if (own.get && /^get /.test(own.get.name) === false) lie(`the getter of ${full} is named ${own.get.name}`);
      const twin = twinOf(owner, theirs);
      const same = twin && theirs.Object.getOwnPropertyDescriptor(twin, name);
      if (twin && owner !== window && (!same || ["enumerable", "configurable", "writable"].some((k) => same[k] !== own[k]))) lie(`${full} is described otherwise than in a frame`);
    }
  }
  for (const [name, object] of Object.entries({ navigator, screen, document: document.implementation, permissions: navigator.permissions })) {
    const own = Object.getOwnPropertyNames(object);
    if (own.length) lie(`${name} has properties of its own: ${own}`);
  }
  try { Object.getOwnPropertyDescriptor(Navigator.prototype, "webdriver").get.call(Navigator.prototype); lie("webdriver's getter works on the prototype"); } catch (e) {
    if (!/Illegal invocation/.test(e.message)) lie("webdriver's getter fails with " + e.message);
  }
}

/** twinOf returns the same object of another window. */
function twinOf(owner, theirs) {
  if (owner === window) return theirs;
  for (const [name, holder] of [["Object", Object]]) if (owner === holder) return theirs[name];
  return theirs[owner.constructor?.name]?.prototype;
}

function checkScreen() {
  const s = screen;
  if (s.width < outerWidth || s.height < outerHeight) lie(`the window (${outerWidth}x${outerHeight}) is larger than the screen (${s.width}x${s.height})`);
  if (outerWidth < innerWidth || outerHeight <= innerHeight) lie(`the page (${innerWidth}x${innerHeight}) is as large as its window (${outerWidth}x${outerHeight})`);
  if (s.availWidth > s.width || s.availHeight > s.height) lie("more of the screen is available than there is");
  if (s.width === 800 && s.height === 600) lie("the screen is 800x600");
  if (!matchMedia(`(device-width: ${s.width}px) and (device-height: ${s.height}px)`).matches) lie("media queries see another screen");
  if (!matchMedia(`(resolution: ${devicePixelRatio}dppx)`).matches) lie("media queries see another pixel ratio");
  if (!matchMedia(`(width: ${innerWidth}px)`).matches) lie("media queries see another width");
  if (Math.abs(visualViewport.width * visualViewport.scale - document.documentElement.clientWidth) > 1) lie("the visual viewport has another width");
  if (s.colorDepth !== s.pixelDepth) lie("colour depth and pixel depth differ");
  const fine = matchMedia("(pointer: fine)").matches, touch = navigator.maxTouchPoints > 0;
  if (!fine && !touch) lie("there is neither a mouse nor a touch screen");
}

function checkTime() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const month of [0, 3, 6, 9]) {
    const at = new Date(2026, month, 1, 12);
    const parts = Object.fromEntries(new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" })
      .formatToParts(at).map((p) => [p.type, Number(p.value)]));
    const offset = (at.getTime() - Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute)) / 60000;
    if (Math.round(offset) !== at.getTimezoneOffset()) lie(`Date has offset ${at.getTimezoneOffset()} in month ${month}, ${zone} has ${offset}`);
  }
  if (performance.timeOrigin > Date.now() + 1000) lie("the page began in the future");
}

async function checkIdentity() {
  const { userAgent, appVersion, platform, vendor, languages, language } = navigator;
  if ("Mozilla/" + appVersion !== userAgent) lie("appVersion is not that of userAgent");
  if (vendor !== "Google Inc.") lie("vendor is " + vendor);
  if (languages[0] !== language) lie("language is not the first of languages");
  const systems = { Linux: /Linux/, Win32: /Windows/, MacIntel: /Mac OS X/ };
  for (const [name, text] of Object.entries(systems)) if (platform.startsWith(name) && !text.test(userAgent)) lie(`platform is ${platform} with ${userAgent}`);
  const major = userAgent.match(/Chrome\/(\d+)/)?.[1];
  const data = navigator.userAgentData;
  if (data) {
    for (const b of data.brands) if (!/not/i.test(b.brand) && b.version !== major) lie(`brand ${b.brand} has version ${b.version}, the user agent ${major}`);
    const named = { Linux: "Linux", Windows: "Win32", macOS: "MacIntel" }[data.platform];
    const high = await data.getHighEntropyValues(["architecture", "bitness", "fullVersionList", "formFactors", "uaFullVersion"]);
    for (const name of ["architecture", "bitness", "uaFullVersion"]) if (!high[name]) lie(`the client hint ${name} is empty`);
    for (const name of ["fullVersionList", "formFactors"]) if (!high[name]?.length) lie(`the client hint ${name} is empty`);
    if (high.fullVersionList.map((b) => b.brand).join() !== data.brands.map((b) => b.brand).join()) lie("the client hint fullVersionList has other brands");
    if (high.uaFullVersion.split(".")[0] !== major) lie(`the client hint uaFullVersion is ${high.uaFullVersion}`);
    if (!platform.startsWith(named)) lie(`the client hints say ${data.platform}, platform ${platform}`);
  }
  const plugins = navigator.plugins;
  if (!(plugins instanceof PluginArray) || [...plugins].some((p) => !(p instanceof Plugin))) lie("plugins are not of the browser's classes");
  if (plugins.length && (plugins[0][0]?.enabledPlugin?.name !== plugins[0].name || plugins.item(2 ** 32) !== plugins[0])) lie("plugins and MIME types do not refer to each other");
}

async function checkMedia() {
  const video = document.createElement("video");
  for (const type of ['video/mp4; codecs="avc1.42E01E"', 'audio/mp4; codecs="mp4a.40.2"', 'video/webm; codecs="vp9"']) {
    if ((video.canPlayType(type) !== "") !== MediaSource.isTypeSupported(type)) lie(`canPlayType and MediaSource disagree about ${type}`);
  }
  const draw = (canvas) => {
    const c = canvas.getContext("2d");
    c.font = "18px sans-serif";
    for (let i = 0; i < 20; i++) c.fillText("Words, \u{1F600} " + i, 3.3, 14 * i);
    return c.getImageData(0, 0, 200, 200).data.join();
  };
  const sized = () => Object.assign(document.createElement("canvas"), { width: 200, height: 200 });
  const first = draw(sized());
  if (first !== draw(sized())) lie("two equal drawings differ");
  const inFrame = other();
  const theirs = inFrame.contentDocument.createElement("canvas");
  theirs.width = theirs.height = 200;
  if (first !== draw(theirs)) lie("a drawing differs in a frame");
  inFrame.remove();
  const plain = sized().getContext("2d");
  plain.fillStyle = "#336699";
  plain.fillRect(0, 0, 200, 200);
  const pixels = new Uint32Array(plain.getImageData(0, 0, 200, 200).data.buffer);
  if (pixels.some((p) => p !== pixels[0])) lie("a filled rectangle has pixels of other colours");
  const sound = async () => {
    const audio = new OfflineAudioContext(1, 4410, 44100), source = audio.createOscillator(), squeeze = audio.createDynamicsCompressor();
    source.connect(squeeze).connect(audio.destination);
    source.start();
    return (await audio.startRendering()).getChannelData(0).join();
  };
  if (await sound() !== await sound()) lie("two equal sounds differ");
  const state = (await navigator.permissions.query({ name: "notifications" })).state;
  if ((Notification.permission === "default" ? "prompt" : Notification.permission) !== state) lie(`Notification.permission is ${Notification.permission}, the permission is ${state}`);
}

/** findLies returns what contradicts itself. */
export async function findLies() {
  out.length = 0;
  const frame = other();
  checkNatives(frame.contentWindow);
  frame.remove();
  checkScreen();
  checkTime();
  await checkIdentity();
  await checkMedia();
  return [...out];
}
