// What is kept of `state` as text, so that a new realm can have it back: plain data, with its identities and cycles.

interface Saved {
  nodes: unknown[][]; // by number: kind, then its parts
  lost: string[]; // the paths of what is no plain data
}

const maxLost = 20;

const typed = new Set(["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array"]);

// save writes an object. What is no plain data, such as pages, functions and promises, is left out and named.
export function save(root: object): string {
  const out: Saved = { nodes: [], lost: [] };
  const numbers = new Map<object, number>();
  const lose = (path: string): undefined => {
    if (out.lost.length < maxLost) out.lost.push(path);
    return undefined;
  };
  // write returns the form of a value: a primitive itself, else an array of its kind and parts; undefined for what is lost.
  const write = (value: unknown, path: string): unknown => {
    switch (typeof value) {
      case "string": case "boolean": return value;
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : ["number", Object.is(value, -0) ? "-0" : String(value)];
      case "bigint": return ["bigint", String(value)];
      case "undefined": return ["undefined"];
      case "object": return value === null ? null : ["node", node(value, path)];
    }
    return lose(path);
  };
  const node = (value: object, path: string): number => {
    const have = numbers.get(value);
    if (have !== undefined) return have;
    const number = out.nodes.length;
    const parts: unknown[] = [];
    numbers.set(value, number);
    out.nodes.push(parts);
    parts.push(...partsOf(value, path));
    return number;
  };
  const partsOf = (value: object, path: string): unknown[] => {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (Array.isArray(value)) return ["array", value.map((item, i) => write(item, `${path}[${i}]`) ?? ["undefined"])];
    if (value instanceof Date) return ["date", write(value.getTime(), path)];
    if (value instanceof RegExp) return ["regexp", value.source, value.flags];
    if (value instanceof Map) return ["map", [...value].map(([key, item]) => [write(key, `${path}.key`) ?? ["undefined"], write(item, `${path}.get(${String(key)})`) ?? ["undefined"]])];
    if (value instanceof Set) return ["set", [...value].map((item) => write(item, `${path}.item`) ?? ["undefined"])];
    if (value instanceof Error) return ["error", String(value.name), String(value.message)];
    if (value instanceof URL) return ["url", value.href];
    if (typed.has(tag)) return ["bytes", tag, Array.from(value as Uint8Array)];
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      lose(path);
      return ["lost"];
    }
    const members: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      let form: unknown;
      const inner = path ? `${path}.${key}` : key;
      try {
        form = write((value as Record<string, unknown>)[key], inner);
      } catch { // a getter that throws
        lose(inner);
      }
      if (form !== undefined) members.push([key, form]);
    }
    return ["object", members];
  };
  node(root, "");
  return JSON.stringify(out);
}

// restore returns the object that was saved, without what was lost.
export function restore(text: string): { value: Record<string, unknown>; lost: string[] } {
  const { nodes, lost } = JSON.parse(text) as Saved;
  const made = new Map<number, unknown>();
  const read = (form: unknown): unknown => {
    if (!Array.isArray(form)) return form;
    switch (form[0]) {
      case "number": return Number(form[1]);
      case "bigint": return BigInt(form[1] as string);
      case "node": return object(form[1] as number);
    }
    return undefined;
  };
  const keep = <T>(number: number, value: T): T => {
    made.set(number, value);
    return value;
  };
  const object = (number: number): unknown => {
    if (made.has(number)) return made.get(number);
    const [kind, first, second] = nodes[number] as [string, never, never];
    switch (kind) {
      case "array": {
        const list = keep(number, [] as unknown[]);
        for (const item of first as unknown[]) list.push(read(item));
        return list;
      }
      case "map": {
        const map = keep(number, new Map<unknown, unknown>());
        for (const [key, item] of first as [unknown, unknown][]) map.set(read(key), read(item));
        return map;
      }
      case "set": {
        const set = keep(number, new Set<unknown>());
        for (const item of first as unknown[]) set.add(read(item));
        return set;
      }
      case "date": return keep(number, new Date(read(first) as number));
      case "regexp": return keep(number, new RegExp(first, second));
      case "error": return keep(number, Object.assign(new Error(second), { name: first }));
      case "url": return keep(number, new URL(first));
      case "bytes": return keep(number, (globalThis as unknown as Record<string, { from(items: number[]): unknown }>)[first as string]?.from(second));
      case "object": {
        const out = keep(number, {} as Record<string, unknown>);
        for (const [key, form] of first as [string, unknown][]) {
          const value = read(form);
          if (Array.isArray(form) && form[0] === "node" && (nodes[form[1] as number] as unknown[])[0] === "lost") continue;
          Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
        }
        return out;
      }
    }
    return undefined;
  };
  return { value: object(0) as Record<string, unknown>, lost };
}
