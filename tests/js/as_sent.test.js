/** Scripts are sent without comments and needless spaces: what remains means exactly what the source means. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "acorn";

/** Each script's path below static/, with its text as browsers get it. */
const sent = JSON.parse(readFileSync(process.env.SCRIPTS_AS_SENT ?? "", "utf8"));
const sourceOf = (path) => readFileSync(new URL(`../../static/${path}`, import.meta.url), "utf8");

/** A script's syntax tree, without the places of its nodes; comments aren't part of it. */
const tree = (text) =>
  JSON.stringify(parse(text, { ecmaVersion: "latest", sourceType: "module" }), (key, value) =>
    key === "start" || key === "end" ? undefined : value,
  );

test("every script means what its source means", () => {
  const paths = Object.keys(sent);
  assert.ok(paths.length > 60);
  for (const path of paths) {
    const source = sourceOf(path);
    assert.ok(sent[path].length < source.length, path);
    assert.equal(tree(sent[path]), tree(source), path);
  }
});

test("a difference that matters is found", () => {
  for (const [one, other] of [
    ["const a = `x  y`;", "const a = `x y`;"],
    ["() => { return\na; };", "() => { return a; };"],
    ["a\n++b", "a++\nb"],
    ["`/* part of it */`", "``"],
    ["/a  b/", "/a b/"],
  ])
    assert.notEqual(tree(one), tree(other));
  assert.equal(tree("/** Of a. */ const a = 1 ; // one"), tree("const a=1;"));
});
