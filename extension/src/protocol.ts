// The messages between relay and extension, protocol 1. docs/relay.md describes them.

export const protocol = 1;

// Tab is what the relay is told of a tab.
export interface Tab {
  tabId: number;
  windowId: number;
  index: number;
  url: string;
  title: string;
  active: boolean;
  status: string; // "loading" or "complete"
  discarded: boolean;
  openerTabId?: number;
  incognito: boolean;
  groupId: number; // -1: in no group
  lastAccessed?: number; // ms since the epoch
}

// Command is a frame from the relay: a CDP command in the short form, or a call of one of the methods of commands.ts.
export interface Command {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  tab?: number;
  m?: string; // CDP method
  p?: { [key: string]: unknown };
  s?: string; // child CDP session
}

export interface Attached {
  tabId: number;
  targetId: string;
}

export interface Welcome {
  protocol: number;
  session: string;
  token?: string;
  relay: string;
  resumed: boolean;
  batch?: boolean; // it takes several messages in a frame, separated by line feeds
}

// Close codes of the relay.
export const closeNotPaired = 4001;
export const closeWrongSecret = 4003;

// The JSON-RPC codes of errors.
export const codeServer = -32000;
export const codeNoMethod = -32601;
export const codeParams = -32602;
export const codeUserRefused = -32010; // the user's settings do not allow it
export const codeNotAttached = -32011; // a CDP command was not carried out: the debugger is not attached to the tab

// Failure is an error that is sent to the relay with its code.
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: number = codeServer,
  ) {
    super(message);
  }
}

// failureOf reads the error of a chrome API. That of chrome.debugger is JSON text with code and message.
export function failureOf(text: string | undefined): { code: number; message: string } {
  const message = text ?? "unknown error";
  if (message.startsWith("{")) {
    try {
      const parsed = JSON.parse(message) as { code?: unknown; message?: unknown };
      if (typeof parsed.message === "string") {
        return { code: typeof parsed.code === "number" ? parsed.code : codeServer, message: parsed.message };
      }
    } catch {
      // a message that only looks like JSON is passed on as it is
    }
  }
  return { code: codeServer, message };
}
