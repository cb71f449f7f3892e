import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parser } from "@grafana/lezer-logql";

const rules = readFileSync(new URL("../../docs/alerts/loki.yml", import.meta.url), "utf8");
const expressions = [...rules.matchAll(/^\s*expr: (.+)$/gm)].map((found) => found[1]);

const isRead = (expression) => {
  let read = true;
  parser.parse(expression).iterate({
    enter: ({ type }) => {
      read &&= !type.isError;
    },
  });
  return read;
};

test("Loki would read its rules", () => {
  assert.ok(expressions.length > 1);
  for (const expression of expressions) {
    assert.ok(isRead(expression), expression);
    assert.ok(!isRead(expression.replace("}", "")), "a brace that isn't closed is found");
  }
});
