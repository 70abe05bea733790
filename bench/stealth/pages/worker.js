importScripts("/look.js");
if ("clients" in self) { // a service worker
  addEventListener("message", async (e) => e.source.postMessage(await look()));
  addEventListener("install", () => skipWaiting());
} else if ("onconnect" in self) { // a shared worker
  addEventListener("connect", async (e) => e.ports[0].postMessage(await look()));
} else {
  look().then((seen) => postMessage(seen));
}
