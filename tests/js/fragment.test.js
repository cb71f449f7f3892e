import assert from "node:assert/strict";
import { test } from "node:test";
import { DOMParser } from "linkedom";

Object.assign(globalThis, { DOMParser, location: { href: "https://example.org/here/" } });
const { makeReader } = await import("../../static/js/fragment.js");

/** Answers to `fetch`, in the order of the questions; each is settled by the test. */
function asked() {
  const questions = [];
  globalThis.fetch = (url) => new Promise((resolve, reject) => questions.push({ url, resolve, reject }));
  return questions;
}
const answer = (text, status = 200) => ({ ok: status < 400, status, text: async () => text });

test("a page is read and taken apart", async () => {
  const [read, questions] = [makeReader(), asked()];
  const reading = read("/there/");
  questions[0].resolve(answer("<html><body><p>It is so.</p></body></html>"));
  const { page, isOld, status } = await reading;
  assert.equal(questions[0].url, "/there/");
  assert.equal(page.querySelector("p").textContent, "It is so.");
  assert.deepEqual([isOld, status], [false, 200]);
});

test("of two answers the one to the older question is old, whenever it comes", async () => {
  const [read, questions] = [makeReader(), asked()];
  const [older, newer] = [read(), read()];
  questions[1].resolve(answer("<html><body>new</body></html>"));
  assert.equal((await newer).isOld, false);
  questions[0].resolve(answer("<html><body>old</body></html>"));
  assert.equal((await older).isOld, true);
  assert.equal(questions[0].url, "https://example.org/here/");
});

test("no line is no page, and a refusal has its text but is no page", async () => {
  const [read, questions] = [makeReader(), asked()];
  const lost = read();
  questions[0].reject(new Error("no line"));
  assert.deepEqual(await lost, { isOld: false, status: 0, text: "", page: null });
  const refused = read();
  questions[1].resolve(answer("gone", 404));
  assert.deepEqual(await refused, { isOld: false, status: 404, text: "gone", page: null });
});
