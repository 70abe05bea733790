// The ghost cursor: shows where agents move the mouse. Chrome draws it over the page as it draws DevTools' highlights, so nothing is
// added to the document and no script of the page can see it. It is sent after the input and never waited for.

import { attachments } from "./attachments";
import { settings } from "./settings";

const visibleFor = 5_000; // ms after the last movement
const moving = { r: 14, g: 116, b: 144, a: 0.85 };
const pressed = { r: 217, g: 119, b: 6, a: 0.95 };
const outline = { r: 255, g: 255, b: 255, a: 0.95 };

interface Shown {
  enabled: boolean;
  busy: boolean; // a command for the overlay is on its way
  next?: () => void; // the newest position that came meanwhile
  hide?: ReturnType<typeof setTimeout>;
}

const shown = new Map<number, Shown>();

// domains are the tabs whose DOM domain a client has enabled: enabling the overlay needs it, for a moment.
const domains = new Set<number>();

// observe follows the commands of clients: mouse input moves the cursor, a screenshot hides it first.
export function observe(tabId: number, session: string | undefined, method: string, p: { [key: string]: unknown } | undefined): void {
  if (session !== undefined) {
    return; // positions in a frame of another process are relative to that frame
  }
  switch (method) {
    case "Input.dispatchMouseEvent":
      if (settings.ghostCursor && typeof p?.x === "number" && typeof p.y === "number") {
        move(tabId, p.x, p.y, p.type === "mousePressed" ? "down" : p.type === "mouseReleased" ? "up" : "move");
      }
      break;
    case "Page.captureScreenshot":
      hide(tabId);
      break;
    case "DOM.enable":
      domains.add(tabId);
      break;
    case "DOM.disable":
      domains.delete(tabId);
      break;
  }
}

// move draws the cursor with its tip at a place in the viewport, in CSS pixels. While one drawing is under way, only the newest of the
// following is kept.
export function move(tabId: number, x: number, y: number, kind: "move" | "down" | "up"): void {
  if (!settings.ghostCursor || !attachments.has(tabId)) {
    return;
  }
  let s = shown.get(tabId);
  if (s === undefined) {
    s = { enabled: false, busy: false };
    shown.set(tabId, s);
  }
  const state = s;
  const draw = () => {
    state.busy = true;
    if (!state.enabled) {
      state.enabled = true;
      send(tabId, "DOM.enable");
      send(tabId, "Overlay.enable");
      if (!domains.has(tabId)) {
        send(tabId, "DOM.disable");
      }
    }
    const quad = [x, y, x, y + 18, x + 5, y + 14, x + 13, y + 13];
    send(tabId, "Overlay.highlightQuad", { quad, color: kind === "down" ? pressed : moving, outlineColor: outline }, () => {
      state.busy = false;
      const next = state.next;
      delete state.next;
      next?.();
    });
    clearTimeout(state.hide);
    state.hide = setTimeout(() => hide(tabId), visibleFor);
  };
  if (state.busy) {
    state.next = draw;
  } else {
    draw();
  }
}

function hide(tabId: number): void {
  const s = shown.get(tabId);
  if (s !== undefined) {
    clearTimeout(s.hide);
    delete s.next;
    send(tabId, "Overlay.hideHighlight");
  }
}

// forgetCursor is called when a tab is no longer attached: Chrome has removed what it drew.
export function forgetCursor(tabId: number): void {
  clearTimeout(shown.get(tabId)?.hide);
  shown.delete(tabId);
  domains.delete(tabId);
}

// send sends a command whose failure changes nothing but the cursor: the tab may just be navigating, or gone.
function send(tabId: number, method: string, params?: { [key: string]: unknown }, done?: () => void): void {
  chrome.debugger.sendCommand({ tabId }, method, params, () => {
    void chrome.runtime.lastError;
    done?.();
  });
}
