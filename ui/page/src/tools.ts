// The tools that a page offers to agents: WebMCP, https://webmachinelearning.github.io/webmcp/. The names and texts are the
// page's.

import { page } from "./safe";

interface Annotations {
  consequentialHint?: boolean;
  debugging?: boolean;
  readOnlyHint?: boolean;
  untrustedContentHint?: boolean;
}

interface RegisteredTool {
  name: string;
  title?: string;
  description: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: Annotations;
  window: Window;
}

// TypeScript does not declare it yet.
interface WithModelContext {
  modelContext?: { getTools?: () => Promise<RegisteredTool[]> };
}

interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: unknown;
  outputSchema: unknown;
  annotations: { consequential: boolean; debugging: boolean; readOnly: boolean; untrustedContent: boolean } | null;
}

export interface Tools {
  available: boolean; // the browser has WebMCP, and the document may use it
  secure: boolean; // only secure documents may
  more: number; // tools that were left out
  tools: Tool[];
}

const most = 200; // tools of a document
const longestText = 4000; // characters of a description
const longestSchema = 64 << 10; // characters of JSON

/** pageTools lists the tools that this document has registered, not those of its frames. */
export async function pageTools(): Promise<Tools> {
  const context = (page as WithModelContext).modelContext;
  const none = { available: typeof context?.getTools === "function", secure: isSecureContext, more: 0, tools: [] };
  if (!context?.getTools) return none;
  let all: RegisteredTool[];
  try {
    all = await context.getTools();
  } catch (e) {
    if (e instanceof DOMException && e.name === "NotAllowedError") return none; // a frame without allow="tools"
    throw e;
  }
  const own = all.filter((t) => t.window === window);
  return { ...none, more: Math.max(0, own.length - most), tools: own.slice(0, most).map(described) };
}

function described(t: RegisteredTool): Tool {
  const a = t.annotations;
  return {
    name: t.name,
    title: (t.title ?? "").slice(0, longestText),
    description: t.description.slice(0, longestText),
    inputSchema: schema(t.inputSchema),
    outputSchema: schema(t.outputSchema),
    annotations: a
      ? { consequential: !!a.consequentialHint, debugging: !!a.debugging, readOnly: !!a.readOnlyHint, untrustedContent: !!a.untrustedContentHint }
      : null,
  };
}

/** schema returns a JSON schema as an object; null for none, and for one that is too long or no JSON. */
function schema(given: unknown): unknown {
  try {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return text && text.length <= longestSchema ? (JSON.parse(text) as unknown) : null;
  } catch {
    return null;
  }
}
