// Elements of the extension's own pages, by id.

export function element<T extends HTMLElement = HTMLElement>(id: string, type?: new () => T): T {
  const found = document.getElementById(id);
  if (found === null || (type !== undefined && !(found instanceof type))) {
    throw new Error(`the page has no element #${id} of that kind`);
  }
  return found as T;
}

export function text(id: string, content: string): void {
  element(id).textContent = content;
}
