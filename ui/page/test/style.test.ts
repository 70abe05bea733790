// What style sheets and names in code say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marks } from "../src/chosen";
import { numeral, pairs } from "../src/counters";
import { worded } from "../src/label";
import { says, strings } from "../src/styles";
import { placeOf } from "../src/marks";

test("counters are written in their style", () => {
  for (const [value, style, text] of [
    [4, "decimal", "4"], [-4, "decimal", "-4"], [4, "decimal-leading-zero", "04"], [-4, "decimal-leading-zero", "-04"], [123, "decimal-leading-zero", "123"],
    [1, "lower-alpha", "a"], [26, "upper-latin", "Z"], [27, "lower-alpha", "aa"], [52, "lower-alpha", "az"], [53, "lower-alpha", "ba"], [702, "upper-alpha", "ZZ"], [703, "upper-alpha", "AAA"],
    [0, "lower-alpha", "0"], [-1, "upper-alpha", "-1"], [24, "lower-greek", "ω"], [25, "lower-greek", "αα"],
    [4, "lower-roman", "iv"], [1994, "upper-roman", "MCMXCIV"], [3999, "upper-roman", "MMMCMXCIX"], [4000, "upper-roman", "4000"], [0, "lower-roman", "0"],
    [7, "disc", "•"], [7, "none", ""], [7, "hebrew", "7"], [7, "constructor", "7"], [7, "my-constructor", "7"], [7, "__proto__", "7"],
  ] as const) assert.equal(numeral(value, style), text, `${value} in ${style}`);
});

test("no two numbers below 4000 have one numeral", () => {
  for (const style of ["lower-roman", "lower-alpha", "lower-greek"]) {
    const seen = new Set<string>();
    for (let value = 1; value < 4000; value++) seen.add(numeral(value, style));
    assert.equal(seen.size, 3999, style);
  }
});

test("counters that a rule declares come in pairs", () => {
  assert.deepEqual(pairs("none"), []);
  assert.deepEqual(pairs("section 1 page -2"), [["section", 1], ["page", -2]]);
});

test("content says something unless it is blank", () => {
  for (const content of ["", "none", "normal", '""', '"  "', "''"]) assert.equal(says(content), false, content);
  for (const content of ['"a"', "counter(x)", 'attr(title)', '"" " "']) assert.equal(says(content), true, content);
});

test("strings of content are joined, with counters in their places", () => {
  const counted = (call: string) => `<${call}>`;
  for (const [content, text] of [
    ['"a" "b"', "ab"],
    ['"say \\"yes\\""', 'say "yes"'],
    ['"§ " counter(section) "."', "§ <counter(section)>."],
    ['counters(item, ".", upper-roman) ")"', '<counters(item, ".", upper-roman)>)'],
    ['url("a.png") / "a star"', "a star"],
    ['"★" / ""', ""],
    ['open-quote "a" close-quote', "“a”"],
    ['linear-gradient(red, rgb(1, 2, 3)) "x"', "x"],
    ['url("a\\")b.png") "x"', "x"],
  ] as const) assert.equal(strings(content, counted), text, content);
});

test("a class says selected alone or beside the class that it belongs to", () => {
  for (const [token, tokens, is] of [
    ["active", ["active"], true], ["is-selected", ["is-selected"], true], ["Current", ["Current"], true],
    ["tab--active", ["tab", "tab--active"], true], ["tab_is-active", ["tab", "tab_is-active"], true], ["current-file", ["file", "current-file"], true],
    ["tab--active", ["tab--active"], false], ["inactive", ["inactive"], false], ["active-users", ["active-users"], false], ["activate", ["activate"], false],
  ] as const) assert.equal(marks(token, [...tokens]), is, `${token} in ${tokens.join(" ")}`);
});

test("names in code are words where they look like any", () => {
  for (const [name, words] of [
    ["close-button", "close button"], ["trash_can", "trash can"], ["x", ""], ["btn2", ""], ["css-1abc", ""], ["MuiButton-root", ""], ["v-icon", ""],
    ["svg", ""], ["a".repeat(40), ""], ["menu", "menu"],
  ] as const) assert.equal(worded(name), words, name);
});

test("what is in a form stays in it, and what is beside the content is aside", () => {
  assert.equal(placeOf("main", ""), "c");
  assert.equal(placeOf("dialog", "c"), "o");
  assert.equal(placeOf("table", "o"), "o");
  assert.equal(placeOf("navigation", "c"), "s");
  assert.equal(placeOf("button", "s"), "s");
});
