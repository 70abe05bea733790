// The options of ariaSnapshot.

import type { Timing, Values } from "./host";

export interface OutlineOptions extends Timing {
  mode?: string;
  depth?: number;
  boxes?: boolean;
}

// outlined are those of the command snapshot: its outline has refs, as Playwright's of the mode "ai", and no boxes.
export function outlined({ mode, depth, boxes }: OutlineOptions): Values {
  if (mode !== undefined && mode !== "ai" && mode !== "default") throw new TypeError(`mode: ${JSON.stringify(mode)} is not one of: ai, default`);
  if (boxes) throw new TypeError("boxes: the outline has no boxes: use locator.boundingBox(), or tab.box(selector)");
  return depth === undefined ? {} : { depth };
}
