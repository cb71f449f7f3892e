import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armani");
Object.assign(globalThis, { localStorage: { getItem: () => null, setItem: () => undefined } });
const { awaitPress, play, soundOf } = await import("../../static/js/table/sounds.js");
const { settings } = await import("../../static/js/table/settings.js");

const event = (kind, data = {}) => ({ kind, seat: 0, data, text: "" });

test("what happens sounds like what it is, the most telling of it once", () => {
  assert.equal(soundOf([event("play", { card: "AC" })]), "card");
  assert.equal(soundOf([event("draw", { cards: 1 }), event("drawn", { card: "AC" })]), "draw");
  assert.equal(soundOf([event("trick", { cards: ["AC"] }), event("draw", { cards: 1 })]), "sweep");
  assert.equal(soundOf([event("slap", { right: true }), event("collect", { cards: [] })]), "slap");
  assert.equal(soundOf([event("slap", { right: false })]), "wrong");
  assert.equal(soundOf([event("pass")]), null);
  assert.equal(soundOf([]), null);
});

test("nothing is fetched or heard before the first press, nor while sounds are off", async () => {
  const [fetched, heard, pressed] = [[], [], []];
  class AudioContext {
    state = "suspended";
    destination = {};
    resume = async () => undefined;
    decodeAudioData = async (data) => data;
    createBufferSource = () => ({
      connect: () => undefined,
      start() {
        heard.push(this.buffer);
      },
    });
  }
  const sounds = document.createElement("template");
  sounds.id = "sounds";
  Object.assign(sounds.dataset, { card: "/card.wav", turn: "/turn.wav" });
  document.body.append(sounds);
  const answer = (address) => {
    fetched.push(address);
    return { ok: true, arrayBuffer: async () => address };
  };
  Object.assign(globalThis, {
    AudioContext,
    window: globalThis,
    fetch: async (address) => answer(address),
    addEventListener: (type, listener) => type === "pointerdown" && pressed.push(listener),
    removeEventListener: () => undefined,
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

  awaitPress();
  play("card");
  assert.deepEqual([fetched, heard], [[], []]);
  settings.sounds = false;
  pressed[0]();
  await settled();
  assert.deepEqual(fetched, []);
  settings.sounds = true;
  pressed[0]();
  await settled();
  assert.deepEqual(fetched, ["/card.wav", "/turn.wav"]);
  play("card");
  play(null);
  play("no such sound");
  assert.deepEqual(heard, ["/card.wav"]);
  settings.sounds = false;
  play("turn");
  assert.deepEqual(heard, ["/card.wav"]);
  settings.sounds = true;
  Object.defineProperty(document, "hidden", { value: true });
  play("card");
  play("turn");
  assert.deepEqual(heard, ["/card.wav", "/turn.wav"], "behind another tab only the knock is heard");
});
