// page.accessibility: usher's outline of the page.

import type { Daemon } from "./host";

export class Accessibility {
  constructor(private readonly daemon: Daemon) {}

  // snapshot is a tree of roles, names and states; interestingOnly: false has every node.
  async snapshot(options: { interestingOnly?: boolean } = {}): Promise<unknown> {
    const seen = (await this.daemon.call("page.observe", { includeAll: options.interestingOnly === false, tree: true })) as { title: string; tree: object[] };
    return { role: "RootWebArea", name: seen.title, children: seen.tree };
  }
}
