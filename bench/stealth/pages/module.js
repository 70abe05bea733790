import "/look.js";
if (location.search === "?nested") {
  const inner = new Worker("/worker.js");
  inner.onmessage = (e) => postMessage(e.data);
} else {
  postMessage(await look());
}
