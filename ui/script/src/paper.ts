// Options of pdf.

// The sizes of paper in inches.
const formats: Record<string, [number, number]> = {
  letter: [8.5, 11], legal: [8.5, 14], tabloid: [11, 17], ledger: [17, 11], a0: [33.1, 46.8], a1: [23.4, 33.1], a2: [16.54, 23.4],
  a3: [11.7, 16.54], a4: [8.27, 11.7], a5: [5.83, 8.27], a6: [4.13, 5.83],
};

// inches is a length in inches: a number is pixels.
function inches(length: unknown): number | undefined {
  if (length === undefined) return undefined;
  if (typeof length === "number") return length / 96;
  const match = /^([\d.]+)(px|in|cm|mm)?$/.exec(String(length).trim());
  if (!match) throw new TypeError(`pdf: ${String(length)} is no length, such as 10mm`);
  return Number(match[1]) / { px: 96, in: 1, cm: 2.54, mm: 25.4 }[(match[2] ?? "px") as "px"];
}

// paper is the options of both libraries as the protocol has them.
export function paper(options: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of ["landscape", "displayHeaderFooter", "printBackground", "scale", "pageRanges", "headerTemplate", "footerTemplate", "preferCSSPageSize"]) {
    if (options[name] !== undefined) out[name] = options[name];
  }
  if (options["outline"] !== undefined) out["generateDocumentOutline"] = options["outline"];
  if (options["format"] !== undefined) {
    const size = formats[String(options["format"]).toLowerCase()];
    if (!size) throw new TypeError(`pdf: there is no format ${String(options["format"])}. The formats are: ${Object.keys(formats).join(", ")}.`);
    [out["paperWidth"], out["paperHeight"]] = size;
  }
  if (options["width"] !== undefined) out["paperWidth"] = inches(options["width"]);
  if (options["height"] !== undefined) out["paperHeight"] = inches(options["height"]);
  const margin = (options["margin"] ?? {}) as Record<string, unknown>;
  for (const side of ["Top", "Bottom", "Left", "Right"]) {
    const length = inches(margin[side.toLowerCase()]);
    if (length !== undefined) out[`margin${side}`] = length;
  }
  return out;
}
