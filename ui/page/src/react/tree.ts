// The tree of components, as rows.

import { type Fiber, isComponent, keyOf, nameOf, shown, suspended, walk } from "./fiber";
import { type Root, buildOf, topOf } from "./roots";

/** Row is a fiber in the tree. */
export interface Row { depth: number; id: number; parent: number; name: string; key: string | null; suspended: boolean; more: number }

export interface RootInfo { version: string; build: string; components: number }

export interface Tree { rows: Row[]; roots: RootInfo[]; total: number; complete: boolean }

export interface TreeOptions { top?: Fiber; components?: boolean; depth?: number; limit: number }

interface Place { fiber: Fiber; depth: number; above: Place | null; chosen: boolean; anchor: Place | null; more: number }

/** treeOf returns the rows of some roots, or those below one fiber. Of too many, the deepest are left out and counted. */
export function treeOf(roots: Root[], exact: (root: Root) => string, idOf: (fiber: Fiber) => number, options: TreeOptions): Tree {
  const places: Place[] = [];
  const infos: RootInfo[] = [];
  let complete = true;
  const add = (top: Fiber): void => {
    const start = places.length;
    complete = walk<Place | null>(top, null, (fiber, above) => {
      if (fiber !== top && (options.components && !isComponent(fiber) || !shown(fiber))) return above;
      const place = { fiber, above, depth: above ? above.depth + 1 : 0, chosen: false, anchor: null, more: 0 };
      places.push(place);
      return place;
    }) && complete;
    let components = 0;
    for (let i = start; i < places.length; i++) if (isComponent(places[i].fiber)) components++;
    if (!options.top) infos.at(-1)!.components = components;
  };
  if (options.top) add(options.top);
  for (const root of options.top ? [] : roots) {
    const top = topOf(root);
    if (!top) continue;
    const { version, build } = buildOf(top);
    infos.push({ version: exact(root) || version, build, components: 0 });
    add(top);
  }
  choose(places, options);
  const rows: Row[] = [];
  for (const place of places) {
    if (!place.chosen) continue;
    rows.push({
      depth: place.depth, id: idOf(place.fiber), parent: place.above ? idOf(place.above.fiber) : 0, name: nameOf(place.fiber), key: keyOf(place.fiber),
      suspended: suspended(place.fiber), more: place.more,
    });
  }
  return { rows, roots: infos, total: places.length, complete };
}

// choose takes places by depth until there are enough, and counts the others at the one above them that was taken.
function choose(places: Place[], { limit, depth = Infinity }: TreeOptions): void {
  const levels: Place[][] = [];
  for (const place of places) (levels[place.depth] ??= []).push(place);
  let left = limit;
  for (const level of levels) {
    for (const place of level ?? []) {
      place.chosen = left > 0 && place.depth <= depth && (place.above === null || place.above.chosen);
      if (place.chosen) left--;
    }
  }
  for (const place of places) { // those above come first
    if (place.chosen) continue;
    place.anchor = place.above && (place.above.chosen ? place.above : place.above.anchor);
    if (place.anchor) place.anchor.more++;
  }
}
