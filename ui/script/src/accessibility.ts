// page.accessibility: usher's outline of the page.

import { called } from "./called";
import type { Daemon } from "./host";

export class Accessibility {
  constructor(private readonly daemon: Daemon) {}

  // snapshot is the roles, names and states of what can be acted on, as one list of children; interestingOnly: false has headings and the
  // like, too.
  async snapshot(options: { interestingOnly?: boolean } = {}): Promise<unknown> {
    const seen = (await this.daemon.call("page.observe", { includeAll: options.interestingOnly === false })) as { title: string; elements: { id?: number; ref?: string; states: string[] }[] };
    const children = seen.elements.map(({ id: _, ref: __, states, ...node }) => ({
      ...node, ...Object.fromEntries(states.map((state) => [state.split("=")[0], { true: true, false: false }[state.split("=")[1] ?? "true"] ?? state.split("=")[1]])),
    }));
    return { role: "RootWebArea", name: seen.title, children };
  }
}
called(Accessibility, "accessibility");
