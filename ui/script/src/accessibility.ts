// page.accessibility: the browser's accessibility tree, with the nodes and members that Puppeteer shows of it.

import { called } from "./called";
import type { ElementHandle } from "./handle";
import type { Page } from "./page";
import { isHandle } from "./values";

// Given is a node as CDP has it.
interface Given {
  nodeId: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  value?: { value: unknown };
  description?: { value: string };
  properties?: { name: string; value: { value?: unknown } }[];
  childIds?: string[];
  backendDOMNodeId?: number;
}

interface Shown {
  role: string;
  children?: Shown[];
  [member: string]: unknown;
}

const texts = ["name", "value", "description", "keyshortcuts", "roledescription", "valuetext", "url"];
const flags = ["disabled", "expanded", "focused", "modal", "multiline", "multiselectable", "readonly", "required", "selected", "busy", "atomic"];
const tristates = ["checked", "pressed"];
const numbers = ["level", "valuemax", "valuemin"];
const tokens = ["autocomplete", "haspopup", "invalid", "orientation", "live", "relevant", "errormessage", "details"];

const textRoles = new Set(["LineBreak", "text", "InlineTextBox", "StaticText"]);
// The children of these are for presentation only.
const leaves = new Set(["doc-cover", "graphics-symbol", "img", "image", "Meter", "scrollbar", "slider", "separator", "progressbar"]);
const controls = new Set([
  "button", "checkbox", "ColorWell", "combobox", "DisclosureTriangle", "listbox", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "radio",
  "scrollbar", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "tree", "treeitem",
]);
const landmarks = new Set(["banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"]);

class Node {
  readonly children: Node[] = [];
  readonly role: string;
  private readonly properties = new Map<string, unknown>();

  constructor(readonly of: Given) {
    this.role = of.role?.value ?? "Unknown";
    for (const { name, value } of of.properties ?? []) this.properties.set(name.toLowerCase(), value.value);
  }

  private get rich(): boolean {
    return this.properties.get("editable") === "richtext";
  }

  private focusableInside(): boolean {
    return this.children.some((child) => child.properties.get("focusable") === true || child.focusableInside());
  }

  // isLeaf reports whether what is inside of the node is not told to people.
  isLeaf(): boolean {
    if (this.children.length === 0 || textRoles.has(this.role) || leaves.has(this.role)) return true;
    if (!this.rich && (this.properties.has("editable") || this.role === "textbox" || this.role === "searchbox")) return true;
    return this.role === "heading" && !!this.of.name?.value && !this.focusableInside();
  }

  isControl(): boolean {
    return controls.has(this.role);
  }

  // isInteresting reports whether a person is told of the node. inside says that it is part of a control.
  isInteresting(inside: boolean): boolean {
    const has = (name: string) => this.properties.get(name);
    if (this.role === "Ignored" || has("hidden") || this.of.ignored) return false;
    if (landmarks.has(this.role) || has("focusable") || this.rich || has("busy") || (has("live") && has("live") !== "off") || has("modal")) return true;
    if (this.properties.has("errormessage") || this.properties.has("details") || has("roledescription") || this.isControl()) return true;
    return !inside && this.isLeaf() && !!(this.of.name?.value || this.of.description?.value);
  }

  shown(): Shown {
    const { properties, of } = this;
    for (const name of ["name", "value", "description"] as const) if (of[name]) properties.set(name, of[name].value);
    const out: Shown = { role: this.role };
    for (const name of texts) if (properties.has(name)) out[name] = properties.get(name);
    for (const name of flags) if (properties.has(name) && !(name === "focused" && this.role === "RootWebArea")) out[name] = !!properties.get(name);
    for (const name of tristates) {
      const value = properties.get(name);
      if (properties.has(name)) out[name] = value === "mixed" ? value : value === "true";
    }
    for (const name of numbers) if (properties.has(name)) out[name] = properties.get(name);
    for (const name of tokens) {
      const value = properties.get(name);
      if (value && value !== "false") out[name] = value;
    }
    return out;
  }
}

// treeOf is the root of the tree that CDP gives as a list, with the node of an element.
function treeOf(given: Given[], element: number | undefined): { root: Node | undefined; wanted: Node | undefined } {
  const nodes = new Map(given.map((each) => [each.nodeId, new Node(each)]));
  for (const node of nodes.values()) {
    for (const id of node.of.childIds ?? []) {
      const child = nodes.get(id);
      if (child) node.children.push(child);
    }
  }
  const all = [...nodes.values()];
  return { root: all[0], wanted: element ? all.find((node) => node.of.backendDOMNodeId === element) : all[0] };
}

function collect(into: Set<Node>, node: Node, inside: boolean): void {
  if (node.isInteresting(inside)) into.add(node);
  if (node.isLeaf()) return;
  for (const child of node.children) collect(into, child, inside || node.isControl());
}

// shown is the node with those below it that are among some, or these alone; all of them without some.
function shown(node: Node, some: Set<Node> | undefined): Shown[] {
  const children = node.children.flatMap((child) => shown(child, some));
  if (some && !some.has(node)) return children;
  const out = node.shown();
  if (children.length > 0) out.children = children;
  return [out];
}

export class Accessibility {
  constructor(private readonly page: Page) {}

  // snapshot is the tree of the main frame, or of the element root; interestingOnly: false has all nodes.
  async snapshot(options: { interestingOnly?: boolean; root?: ElementHandle; includeIframes?: boolean } = {}): Promise<Shown | null> {
    if (options.includeIframes) throw new TypeError("includeIframes: the tree is that of one frame; take that of an element in another with {root}, or page.ariaSnapshot(), which has frames");
    const { root: element } = options;
    if (element && !element[isHandle]?.asElement()) throw new TypeError("root needs an element handle, as page.$(selector) returns it");
    const answer = (await this.page.daemon.call("page.accessibility", element ? { frame: element.frame.id, handles: [element.argument()] } : {})) as { nodes: Given[]; root?: number };
    const { root, wanted } = treeOf(answer.nodes, answer.root);
    if (!root || !wanted) return null;
    if (options.interestingOnly === false) return shown(wanted, undefined)[0] ?? null;
    const interesting = new Set<Node>();
    collect(interesting, root, false);
    return shown(wanted, interesting)[0] ?? null;
  }
}
called(Accessibility, "accessibility");
