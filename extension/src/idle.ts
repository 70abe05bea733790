// Detaches the debugger from tabs that no agent has used for a while, so that Chrome's bar goes away. An alarm calls it, because timers
// end with the worker.

import { attachments, detach } from "./attachments";
import { notify } from "./link";
import { settings } from "./settings";

export async function sweep(now: number): Promise<void> {
  const limit = settings.idleDetachMinutes * 60_000;
  if (limit === 0) {
    return;
  }
  for (const [tabId, { used }] of [...attachments]) {
    if (now - used >= limit) {
      await detach(tabId);
      notify("debugger.onDetach", { tabId, reason: "idle" });
    }
  }
}
