// Texts of a page as they are shown and compared.

import assert from "node:assert/strict";
import { test } from "node:test";
import { collapse, contributes, Joining } from "../src/name";
import { cut, shorten } from "../src/describe";
import { escape } from "../src/line";
import { normal, spelling, tierOf } from "../src/locate";
import { shortened } from "../src/accessible";
import { flat } from "../src/walk";

const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

test("collapse shows white space as one space and drops what cannot be seen", () => {
  for (const [text, shown] of [
    ["Save", "Save"],
    ["  Save\n\t the\u00a0file ", "Save the file"],
    ["zero\u200bwidth \u202eturned\u202c", "zerowidth turned"],
    ["\ue5cd Close \u{f0156}", "Close"],
    ["soft\u00adhyphen", "softhyphen"],
    ["\u0085next line", "next line"],
    ["Größe 漢字 👩‍👧", "Größe 漢字 👩👧"], // the joiner cannot be seen
    ["\u200b \ufeff", ""],
  ] as const) assert.equal(collapse(text), shown, JSON.stringify(text));
});

test("collapse leaves what it made as it is", () => {
  for (const text of ["a  b", " \u200b x \u00a0", "\ue000\n\ue000", "a\u00ad \u00adb"]) assert.equal(collapse(collapse(text)), collapse(text));
});

test("parts of a name are joined with a space where they stand apart", () => {
  const join = (...parts: [string, boolean][]) => {
    const all = new Joining();
    for (const [text, apart] of parts) all.add(text, apart);
    return all.text;
  };
  assert.equal(join(["New", false], ["York", false]), "NewYork");
  assert.equal(join(["New", true], ["York", false]), "New York");
  assert.equal(join(["New", false], ["York", true], ["City", false]), "New York City");
  assert.equal(join(["New ", true], ["York", true]), "New York");
  assert.equal(join(["", true], ["York", false]), "York");
  const between = new Joining();
  between.add("a", false);
  between.apart();
  between.add("b", false);
  assert.equal(between.text, "a b");
});

test("contents name a button and a link, and no field or list", () => {
  for (const role of ["button", "link", "heading", "cell", ""]) assert.equal(contributes(role), true, role);
  for (const role of ["textbox", "listbox", "slider", "table"]) assert.equal(contributes(role), false, role);
});

test("shorten is one line within the limit", () => {
  assert.equal(shorten(" a \n b "), "a b");
  assert.equal(shorten("abcdef", 4), "abc…");
  assert.equal(shorten("abcd", 4), "abcd");
  assert.equal(shorten("ab😀cd", 4), "ab…");
  for (let limit = 2; limit < 12; limit++) {
    const text = shorten("😀a😀b😀c😀", limit);
    assert.ok(text.length <= limit && !lone.test(text), `${limit}: ${text}`);
  }
});

test("cut says how long the text was", () => {
  assert.equal(cut("abc", 3), "abc");
  assert.equal(cut("abcd", 3), "abc… (4 characters)");
  assert.equal(cut("abcd", 3, 1000), "abc… (1000 characters)");
  assert.equal(cut("ab😀", 3), "ab… (4 characters)");
});

test("a name of a hundred characters is cut at a whole one", () => {
  assert.equal(shortened("x".repeat(100)), "x".repeat(100));
  assert.equal(shortened("x".repeat(101)).length, 100);
  assert.ok(!lone.test(shortened("x".repeat(99) + "😀😀")));
});

test("what separates cells of a line is escaped", () => {
  assert.equal(escape("plain text"), "plain text");
  assert.equal(escape("a\tb\r\nc\nd\re\\n"), "a\\tb\\nc\\nd\\ne\\\\n");
});

test("lines of what lay too deep stand in their places", () => {
  const deep = (...lines: unknown[]) => ({ lines }) as never;
  assert.equal(flat(["a", "b"]), "a\nb");
  assert.equal(flat(["a", deep("b", deep("c"), "d"), "e", deep()]), "a\nb\nc\nd\ne");
});

test("texts are compared without white space, and tell how well they match", () => {
  assert.equal(normal("\u00a0 a \n\t b "), "a b");
  for (const [found, wanted, exact, tier] of [
    ["Save", "Save", true, 0], ["Save", "Save", false, 0], ["Save as", "Save", false, 1], ["save as", "Save", false, 2],
    ["Save as", "Save", true, -1], ["Open", "Save", false, -1], ["Open", "", false, -1], ["", "", false, 0],
  ] as const) assert.equal(tierOf(found, wanted, exact), tier, `${found} for ${wanted}`);
});

test("roles have one spelling", () => {
  assert.equal(spelling("IMG"), "image");
  assert.equal(spelling("presentation"), "none");
  assert.equal(spelling("Button"), "button");
});
