// Labels of components: a label element can name the host of a shadow tree, and the field that a person sees is in that tree.

import * as safe from "./safe";
import { rootOf } from "./safe";
import { flatChildren } from "./dom";
import { innerOf } from "./alternatives";
import { collapse } from "./name";

/** labelsOfHost returns the label elements whose control is a component. */
export function labelsOfHost(host: Element): HTMLLabelElement[] {
  if (!safe.localName(host).includes("-")) return [];
  const id = safe.id(host);
  const named = id === "" ? [] : rootOf(host).querySelectorAll(`label[for="${CSS.escape(id)}"]`);
  const found = new Set<Element | null>([safe.closest(host, "label"), ...named]);
  return [...found].filter((label) => label instanceof HTMLLabelElement).filter((label) => label.control === host);
}

/** labelOfHost is the text of the labels of the component whose only field an element is; empty if there is none. */
export function labelOfHost(el: Element): string {
  const root = rootOf(el);
  if (!(root instanceof ShadowRoot)) return "";
  const { host } = root;
  const labels = labelsOfHost(host);
  if (labels.length === 0 || innerOf(host, isField) !== el) return "";
  return labels.map((label) => collapse(textOfLabel(label, host))).filter(Boolean).join(" ");
}

function isField(el: Element): boolean {
  return el instanceof HTMLInputElement ? el.type !== "hidden" : el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
}

/**
 * textOfLabel is a label's text without the control it may wrap: the options of a wrapped select do not name it. In the
 * label of a component, the text is often what its slots take.
 */
export function textOfLabel(label: Element, control: Element): string {
  let text = "";
  const left: Node[] = [label];
  for (let node = left.pop(); node; node = left.pop()) {
    if (node instanceof Text) text += node.data;
    else if (node instanceof Element && node !== control) left.push(...[...(node instanceof HTMLSlotElement ? flatChildren(node) : safe.childNodes(node))].reverse());
  }
  return text;
}
