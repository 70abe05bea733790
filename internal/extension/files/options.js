"use strict";
(() => {
  // extension/src/dom.ts
  function element(id, type) {
    const found = document.getElementById(id);
    if (found === null || type !== void 0 && !(found instanceof type)) {
      throw new Error(`the page has no element #${id} of that kind`);
    }
    return found;
  }
  function text(id, content) {
    element(id).textContent = content;
  }

  // extension/src/options.ts
  var most = 1e3;
  var rows = element("rows");
  var filter = element("filter", HTMLInputElement);
  var follow = element("follow", HTMLInputElement);
  var list = [];
  connect();
  function connect() {
    const port = chrome.runtime.connect({ name: "log" });
    port.onMessage.addListener((message) => {
      if ("entries" in message) {
        list = message.entries;
        draw();
      } else {
        list.push(message.entry);
        list = list.slice(-most);
        if (matches(message.entry)) {
          rows.append(rowOf(message.entry));
          while (rows.childElementCount > most) {
            rows.firstElementChild?.remove();
          }
          count();
          if (follow.checked) {
            rows.lastElementChild?.scrollIntoView({ block: "nearest" });
          }
        }
      }
    });
    port.onDisconnect.addListener(() => setTimeout(connect, 1e3));
  }
  function draw() {
    rows.replaceChildren(...list.filter(matches).map(rowOf));
    count();
  }
  function count() {
    text("count", `${rows.childElementCount} of ${list.length}`);
  }
  function matches(entry) {
    return entry.text.toLowerCase().includes(filter.value.trim().toLowerCase());
  }
  function rowOf(entry) {
    const row = document.createElement("tr");
    const tab = /"tab(?:Id)?":(\d+)/.exec(entry.text)?.[1] ?? "";
    const what = /^\{[^{]*?"(?:m|e|method)":"([^"]+)"/.exec(entry.text)?.[1] ?? (/^\{"id":\d+,"error"/.test(entry.text) ? "error" : "reply");
    const cells = [new Date(entry.time).toLocaleTimeString(), entry.from === "relay" ? "agent" : "browser", tab, what, String(entry.length), entry.text];
    for (const cell of cells) {
      row.insertCell().textContent = cell;
    }
    return row;
  }
  filter.addEventListener("input", draw);
  element("clear").addEventListener("click", () => {
    list = [];
    draw();
  });
})();
