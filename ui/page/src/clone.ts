// Values of the structured clone algorithm as JSON, in the form of Playwright's storageState: an object with one member
// that names the kind.

/** Unsupported is thrown for a value that has no form: a Blob, a CryptoKey. */
export class Unsupported extends Error {}

const arrays = {
  i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array, i32: Int32Array, ui32: Uint32Array,
  f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array,
};

const tag = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** isPlain reports whether JSON has a form for a value: no number that is not finite, no undefined, and no object twice. */
export function isPlain(value: unknown, seen = new Set<object>()): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) {
    const length = Object.keys(value).length; // fewer with holes, more with names
    return length === value.length && value.every((item) => isPlain(item, seen));
  }
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every((item) => isPlain(item, seen));
}

export function encode(value: unknown): unknown {
  const ids = new Map<object, number>();
  const id = (of: object): number => {
    ids.set(of, ids.size + 1);
    return ids.size;
  };
  const any = (value: unknown): unknown => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "undefined":
        return { v: "undefined" };
      case "bigint":
        return { bi: value.toString() };
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0) ? value : { v: Object.is(value, -0) ? "-0" : String(value) };
      case "object":
        return value === null ? { v: "null" } : object(value);
    }
    throw new Unsupported(typeof value);
  };
  const object = (value: object): unknown => {
    const before = ids.get(value);
    if (before !== undefined) return { ref: before };
    if (Array.isArray(value)) return { id: id(value), a: Array.from(value, any) };
    switch (tag(value)) {
      case "Date":
        return { d: (value as Date).toJSON() };
      case "RegExp":
        return { r: { p: (value as RegExp).source, f: (value as RegExp).flags } };
      case "Error": {
        const { name, message, stack } = value as Error;
        return { e: { n: name, m: message, s: stack ?? "" } };
      }
      case "ArrayBuffer":
        return { ab: { b: base64(new Uint8Array(value as ArrayBuffer)) } };
      case "Map":
        return { id: id(value), m: Array.from(value as Map<unknown, unknown>, ([k, v]) => ({ k: any(k), v: any(v) })) };
      case "Set":
        return { id: id(value), s: Array.from(value as Set<unknown>, any) };
      case "Object":
        return { id: id(value), o: Object.entries(value).map(([k, v]) => ({ k, v: any(v) })) };
    }
    for (const [k, type] of Object.entries(arrays)) {
      if (value instanceof type) return { ta: { b: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k } };
    }
    throw new Unsupported(tag(value));
  };
  return any(value);
}

export function decode(encoded: unknown): unknown {
  const objects = new Map<number, object>();
  const known = <T extends object>(id: number, made: T): T => {
    objects.set(id, made);
    return made;
  };
  type Pair = { k: unknown; v: unknown };
  const any = (encoded: unknown): unknown => {
    if (typeof encoded !== "object" || encoded === null) return encoded;
    const e = encoded as Record<string, any>;
    if ("ref" in e) return objects.get(e.ref);
    if ("v" in e) return constants[e.v as string];
    if ("d" in e) return new Date(e.d);
    if ("u" in e) return e.u; // a URL, which no database can contain
    if ("bi" in e) return BigInt(e.bi);
    if ("r" in e) return new RegExp(e.r.p, e.r.f);
    if ("e" in e) return Object.assign(new Error(e.e.m), { name: e.e.n, stack: e.e.s });
    if ("ab" in e) return bytes(e.ab.b).buffer;
    if ("ta" in e) {
      const type = arrays[e.ta.k as keyof typeof arrays];
      if (!type) throw new Error(`unknown type of array ${e.ta.k}`);
      return new type(bytes(e.ta.b).buffer);
    }
    if ("a" in e) {
      const made = known(e.id, [] as unknown[]);
      for (const item of e.a) made.push(any(item));
      return made;
    }
    if ("m" in e) {
      const made = known(e.id, new Map());
      for (const { k, v } of e.m as Pair[]) made.set(any(k), any(v));
      return made;
    }
    if ("s" in e) {
      const made = known(e.id, new Set());
      for (const item of e.s) made.add(any(item));
      return made;
    }
    if ("o" in e) {
      const made = known(e.id, {});
      for (const { k, v } of e.o as Pair[]) Object.defineProperty(made, k as string, { value: any(v), writable: true, enumerable: true, configurable: true });
      return made;
    }
    throw new Error(`a value of unknown kind: ${Object.keys(e).join(", ")}`);
  };
  return any(encoded);
}

const constants: Record<string, unknown> = { undefined: undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };

function base64(of: Uint8Array): string {
  const part = 0x8000; // arguments of one call
  let binary = "";
  for (let i = 0; i < of.length; i += part) binary += String.fromCharCode(...of.subarray(i, i + part));
  return btoa(binary);
}

function bytes(of: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(of), (c) => c.charCodeAt(0));
}
