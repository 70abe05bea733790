// Selectors are taken apart as CSS Syntax 3 and Selectors 4 have them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compoundsOf, stepsOf } from "../src/selector";

test("a selector list is alternatives of steps", () => {
  for (const [selector, steps] of [
    ["a", [["a"]]],
    ["a > b c, d", [["a > b", "c"], ["d"]]],
    ["  a   b  ", [["a", "b"]]],
    ["a>b+c~d e", [["a>b+c~d", "e"]]],
    ["a /* b , c */ d", [["a", "/* b , c */ d"]]],
    ["a b /* c */", [["a", "b"]]],
    [":is(a, b > c) d", [[":is(a, b > c)", "d"]]],
    ["a :not(b c)", [["a", ":not(b c)"]]],
    ["a [title='b, c'] d", [["a", "[title='b, c']", "d"]]],
    ['[title="a \\" b"] c', [['[title="a \\" b"]', "c"]]],
    ["a\\ b c", [["a\\ b", "c"]]],
    ["a\\  b", [["a\\ ", "b"]]],
    ["a b\\ ", [["a", "b\\ "]]],
    ["a b , c ", [["a", "b"], ["c"]]],
    ["a\\31 b c", [["a\\31 b", "c"]]],
    ["#a\\,b, c", [["#a\\,b"], ["c"]]],
    ["a\\😀 b", [["a\\😀", "b"]]],
    ["a ::part(b)", [["a", "::part(b)"]]],
  ] as const) assert.deepEqual(stepsOf(selector), steps, selector);
});

test("nothing of a selector but white space, comments and commas is lost", () => {
  const pieces = ["a", ".b", "#c", "[d=e]", "[d='f, g']", ":is(h i, j)", " ", " > ", "+", "~", ", ", "\\ ", "\\31 ", "/**/", "::k"];
  let seed = 1;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let round = 0; round < 2000; round++) {
    const selector = Array.from({ length: 1 + next(8) }, () => pieces[next(pieces.length)]).join("");
    const bare = (text: string) => text.replace(/\\31 |\\ /g, "\\s").replace(/\/\*\*\/|[\s,]/g, "");
    assert.equal(bare(stepsOf(selector).flat().join("")), bare(selector), JSON.stringify(selector));
  }
});

test("a selector list is compounds with combinators", () => {
  for (const [selector, written] of [
    ["a", "a"],
    ["a > b c, d", "a|>b| c;d"],
    ["  a   b  ", "a| b"],
    ["a>b+c~d e", "a|>b|+c|~d| e"],
    ["a /* b , c */ d", "a| d"],
    ["a/**/.b", "a.b"],
    [":is(a, b > c) d", ":is(a, b > c)| d"],
    ["a [title='b > c, d'] ~ e", "a| [title='b > c, d']|~e"],
    ["a\\ b c", "a\\ b| c"],
    ["a\\> > b", "a\\>|>b"],
    ["a\n>\tb", "a|>b"],
    ["a :not(b c):hover", "a| :not(b c):hover"],
  ] as const) {
    const got = compoundsOf(selector).map((complex) => complex.map(({ css, combinator }) => combinator + css).join("|")).join(";");
    assert.equal(got, written, selector);
  }
});
