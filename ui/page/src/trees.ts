// The trees beside that of the document: shadow roots, and documents of frames that a script of this one may look into.

import * as safe from "./safe";
import { shadowOf } from "./dom";

// How many elements are looked at for trees of their own, how many of these are visited, and how long that may take in ms.
const mostLooked = 5000;
const mostTrees = 200;
const longest = 3;

/** visitTrees calls visit for the trees in what is below a node, and in those, as far as the bounds reach. */
export function visitTrees(from: Node, visit: (root: ShadowRoot | Document) => void): void {
  const end = performance.now() + longest;
  const open: Node[] = [from];
  let looked = 0;
  let visited = 0;
  for (let root = open.pop(); root; root = open.pop()) {
    const elements = safe.page.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node: Node | null = root instanceof Element ? root : elements.nextNode(); node; node = elements.nextNode()) {
      const tree = treeOf(node as Element);
      if (tree) {
        visit(tree);
        open.push(tree);
        if (++visited >= mostTrees) return;
      }
      if (++looked >= mostLooked || (looked % 100 === 0 && performance.now() > end)) return;
    }
  }
}

function treeOf(element: Element): ShadowRoot | Document | null {
  if (element instanceof HTMLIFrameElement) return element.contentDocument;
  return shadowOf(element);
}
