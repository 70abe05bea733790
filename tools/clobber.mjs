// Finds reads in the page script that a page can answer itself: a form hides any property behind a control of that name
// (<input name=parentNode>). What may be a form is read with the functions of ui/page/src/safe.ts, and the document through
// its `page`. Run by `make lint-types`, in the directory that has the compiler.

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), ".cache/lint/"));
const ts = require("typescript");
const source = resolve("ui/page/src");
const config = ts.readConfigFile("ui/page/tsconfig.json", ts.sys.readFile).config;
const { options } = ts.parseJsonConfigFileContent({ ...config, include: ["src"] }, ts.sys, resolve("ui/page"));
const files = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".ts") && name !== "safe.ts" && name !== "bridge.ts").map((name) => join(source, name));
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();

// Types of the library that a form, or the document, may stand behind.
const open = new Set(["Node", "Element", "HTMLElement", "ParentNode", "ChildNode", "HTMLFormElement", "Document", "EventTarget"]);

function mayBeForm(type) {
  if (type.isUnionOrIntersection()) {
    const parts = type.types.map((part) => part.symbol?.name);
    if (type.isIntersection() && parts.includes("__type")) return false; // Page
    return type.types.some(mayBeForm);
  }
  return open.has(type.symbol?.name ?? "");
}

let found = 0;
for (const file of program.getSourceFiles()) {
  if (!files.includes(resolve(file.fileName))) continue;
  (function visit(node) {
    if (ts.isPropertyAccessExpression(node) && mayBeForm(checker.getNonNullableType(checker.getTypeAtLocation(node.expression)))) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      console.error(`${file.fileName}:${line + 1}: ${node.getText()}: read it with safe.${node.name.text}`);
      found++;
    }
    ts.forEachChild(node, visit);
  })(file);
}
process.exit(found > 0 ? 1 : 0);
