// Objects that say what they have when code asks for what they do not have.

// Names that others than code look up: promises, JSON, the console, iteration.
const silent = new Set(["then", "toJSON", "constructor", "inspect", "nodeType", "asymmetricMatch", "$$typeof", "length", "splice", "size", "tagName"]);

// known makes instances of a class throw for unknown members, with the names nearest to the one that code used.
export function known(of: { prototype: object; name: string }, what: string): void {
  const base = Object.getPrototypeOf(of.prototype) as object;
  const names = () => {
    const all = new Set<string>();
    for (let at: object | null = of.prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
      for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") all.add(name);
    }
    return [...all];
  };
  const guard = new Proxy(base, {
    get(target, name, receiver) {
      if (typeof name === "symbol" || Reflect.has(target, name) || silent.has(name)) return Reflect.get(target, name, receiver) as unknown;
      const near = nearest(name, names());
      const hint = near.length > 0 ? ` The nearest are: ${near.join(", ")}.` : "";
      throw new TypeError(`${what} has no member ${name}.${hint}`);
    },
  });
  Object.setPrototypeOf(of.prototype, guard);
}

// nearest returns the names most like one.
export function nearest(name: string, names: string[]): string[] {
  const wanted = name.toLowerCase();
  return names
    .map((candidate) => ({ candidate, far: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(2, wanted.length / 3) || (wanted.length > 3 && (candidate.toLowerCase().includes(wanted) || wanted.includes(candidate.toLowerCase()))))
    .sort((a, b) => a.far - b.far)
    .slice(0, 4)
    .map(({ candidate }) => candidate);
}

// distance is Levenshtein's.
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
