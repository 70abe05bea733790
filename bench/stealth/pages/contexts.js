// Compares what every kind of script context of this page says of the browser.
import "/look.js";

const within = (promise, name) => Promise.race([promise, new Promise((_, fail) => setTimeout(fail, 15000, new Error(name + " did not answer")))]);

const answers = (target) => new Promise((done, fail) => { target.onmessage = (e) => done(e.data); target.onerror = (e) => fail(new Error(e.message)); });

const told = (name) => new Promise((done) => addEventListener("message", function hear(e) {
  if (e.data?.from === "?" + name) { removeEventListener("message", hear); done(e.data.seen); }
}));

function addFrame(set) {
  const frame = document.createElement("iframe");
  set(frame);
  document.body.append(frame);
  return frame;
}

/** lookFrom runs look in a frame of this origin without a document of its own: about:blank and srcdoc. */
async function lookFrom(window) {
  const script = window.document.createElement("script");
  script.textContent = await (await fetch("/look.js")).text();
  (window.document.head ?? window.document.documentElement).append(script);
  return window.look();
}

const kinds = {
  page: () => look(),
  "about:blank frame": () => lookFrom(addFrame(() => {}).contentWindow),
  async "srcdoc frame"() {
    const frame = addFrame((f) => { f.srcdoc = "<p>srcdoc</p>"; });
    await new Promise((done) => { frame.onload = done; });
    return lookFrom(frame.contentWindow);
  },
  frame() { const said = told("near"); addFrame((f) => { f.src = "/frame.html?near"; }); return said; },
  "frame of another site"() {
    const said = told("far");
    addFrame((f) => { f.src = location.origin.replace("127.0.0.1", "localhost") + "/frame.html?far"; });
    return said;
  },
  popup() { const said = told("popup"); const opened = open("/frame.html?popup"); return said.finally(() => opened.close()); },
  worker: () => answers(new Worker("/worker.js")),
  async "blob worker"() {
    const source = await (await fetch("/look.js")).text() + ";look().then((seen) => postMessage(seen))";
    return answers(new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))));
  },
  "module worker": () => answers(new Worker("/module.js", { type: "module" })),
  "nested worker": () => answers(new Worker("/module.js?nested", { type: "module" })),
  "shared worker": () => answers(new SharedWorker("/worker.js").port),
  async "service worker"() {
    const registration = await navigator.serviceWorker.register("/worker.js", { scope: "/scope/" });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    const said = answers(navigator.serviceWorker);
    navigator.serviceWorker.startMessages();
    worker.postMessage("look");
    return said;
  },
};

/** compareContexts returns what the page sees, and every value that another context sees otherwise. */
export async function compareContexts() {
  const contradictions = [];
  let values;
  for (const [kind, ask] of Object.entries(kinds)) {
    let seen;
    try {
      seen = await within(ask(), kind);
    } catch (e) {
      contradictions.push(`${kind}: ${e.message}`);
      continue;
    }
    const { headers, ...here } = seen;
    values ??= seen;
    for (const [name, value] of Object.entries(here)) {
      if (value !== null && values[name] !== null && value !== values[name]) contradictions.push(`${kind}: ${name} is ${value}, in the page ${values[name]}`);
    }
    contradictions.push(...compareHeaders(kind, headers, here));
  }
  for (const [what, headers] of Object.entries(await (await fetch("/sent")).json())) contradictions.push(...compareHeaders("request of " + what, headers, values));
  document.querySelectorAll("iframe").forEach((f) => f.remove());
  return { values, contradictions };
}

/** compareHeaders compares the headers of a request with what its context says. */
function compareHeaders(kind, headers, seen) {
  const out = [];
  const differs = (name, sent, said) => { if (sent !== said) out.push(`${kind}: ${name} sent is ${sent}, the script sees ${said}`); };
  differs("User-Agent", headers["User-Agent"], seen.userAgent);
  differs("Accept-Language", (headers["Accept-Language"] ?? "").split(",").map((l) => l.split(";")[0]).join(), seen.languages);
  if (headers["Sec-Ch-Ua"] && seen.brands !== null) {
    differs("Sec-CH-UA", [...headers["Sec-Ch-Ua"].matchAll(/"([^"]*)";v="([^"]*)"/g)].map((m) => m[1] + " " + m[2]).join(), seen.brands);
    differs("Sec-CH-UA-Platform", headers["Sec-Ch-Ua-Platform"], `"${seen.uaPlatform}"`);
    const hints = JSON.parse(seen.hints); // the server asks for these
    for (const [name, said] of [["Arch", hints.architecture], ["Bitness", hints.bitness], ["Full-Version", hints.uaFullVersion], ["Platform-Version", hints.platformVersion]]) {
      const sent = headers["Sec-Ch-Ua-" + name];
      if (sent !== undefined) differs("Sec-CH-UA-" + name, sent, `"${said}"`);
    }
  }
  return out;
}
