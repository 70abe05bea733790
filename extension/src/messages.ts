// What popup and options page say to the worker, and hear from it, over ports named "popup" and "log".

import type { State } from "./link";
import type { Entry } from "./log";

export interface TabRow {
  tabId: number;
  title: string;
  url: string;
  attached: boolean;
  shared: boolean;
  created: boolean; // by agents
}

// Report is the state that the popup shows; it comes after each change.
export interface Report {
  state: State;
  detail: string;
  address: string; // of the relay
  relay: string; // its name and version, if connected
  version: string; // of the extension
  paired: boolean;
  tabs: TabRow[]; // shared, attached and agents' tabs
  active?: TabRow; // the tab in front
}

export type Request =
  | { do: "pair"; code: string }
  | { do: "unpair" }
  | { do: "relay"; address: string }
  | { do: "connect" }
  | { do: "disconnect" }
  | { do: "share"; tabId: number; on: boolean }
  | { do: "detach"; tabId: number }
  | { do: "detachAll" };

export type LogMessage = { entries: Entry[] } | { entry: Entry };
