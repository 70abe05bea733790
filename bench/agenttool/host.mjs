// A host for the extension pi-agent-browser-native: it loads the bundle in argument 1 and makes its calls. Each line of standard input is
// the arguments of a call of agent_browser; each line of standard output is its result, with how long it took.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { appendFileSync, writeFileSync } from "node:fs";

const { default: extend } = await import(pathToFileURL(process.argv[2]).href);
const handlers = new Map();
const tools = new Map();
const entries = [];
const file = join(process.cwd(), "session.jsonl");
writeFileSync(file, "");
extend({
	on: (name, handler) => handlers.set(name, handler),
	registerTool: (tool) => tools.set(tool.name, tool),
	appendEntry: (type, data) => appendFileSync(file, JSON.stringify({ type: "custom", customType: type, data }) + "\n"),
});
const id = randomUUID();
const ctx = {
	cwd: process.cwd(),
	hasUI: false,
	isProjectTrusted: () => false,
	sessionManager: { getBranch: () => entries, getEntries: () => entries, getSessionFile: () => file, getSessionId: () => id },
};
await handlers.get("session_start")?.({ type: "session_start", reason: "startup" }, ctx);
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
	const input = JSON.parse(line);
	const call = randomUUID();
	const began = performance.now();
	const result = await tools.get("agent_browser").execute(call, input, new AbortController().signal, () => {}, ctx);
	const ms = performance.now() - began;
	entries.push({
		type: "message",
		id: call,
		message: { role: "toolResult", toolCallId: call, toolName: "agent_browser", content: result.content, details: result.details, isError: result.isError },
	});
	process.stdout.write(JSON.stringify({ ms, isError: result.details?.resultCategory === "failure", content: result.content, details: result.details }) + "\n");
}
await handlers.get("session_shutdown")?.({ type: "session_shutdown", reason: "quit" }, ctx);
