/** Sounds: fetched after the first press, so that nothing waits for them and an untouched page is silent. */

import { settings } from "./settings.js";

/** Kinds of events by their sound, most important first; a card that comes to a hand is drawn. */
const KINDS = [
  { name: "sweep", kinds: ["trick", "collect", "taken", "stored", "stopped", "rest", "kept"] },
  { name: "draw", kinds: ["draw", "drawn", "drew", "snow", "take", "deal", "draw_main", "refilled"] },
];

/**
 * The sound of these events; null if nothing moved.
 * @param {GameEvent[]} events
 */
export function soundOf(events) {
  const slap = events.find(({ kind }) => kind === "slap");
  if (slap) return slap.data.right ? "slap" : "wrong";
  const found = KINDS.find(({ kinds }) => events.some(({ kind }) => kinds.includes(kind)));
  if (found) return found.name;
  return events.some(({ data }) => data.cards || data.card) ? "card" : null;
}

/** @type {AudioContext | null} */
let context = null;
/**
 * Loaded sounds, by name.
 * @type {Map<string, AudioBuffer>}
 */
const known = new Map();

async function fetchAll() {
  const made = new AudioContext();
  context = made;
  for (const [name, address] of Object.entries(document.getElementById("sounds").dataset)) {
    const answer = await fetch(address ?? "").catch(() => null);
    const sound = answer?.ok ? await made.decodeAudioData(await answer.arrayBuffer()).catch(() => null) : null;
    if (sound) known.set(name, sound);
  }
}

/** Fetch the sounds when the player first presses anything, unless they are off. */
export function awaitPress() {
  const first = () => {
    if (!settings.sounds || !("AudioContext" in window)) return;
    for (const type of ["pointerdown", "keydown"]) removeEventListener(type, first, { capture: true });
    fetchAll().catch(() => undefined);
  };
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, first, { capture: true });
}

/**
 * Play a sound, if sounds are on. In a hidden tab, only the sound of your turn plays.
 * @param {string | null} name
 */
export function play(name) {
  const sound = name && known.get(name);
  if (!settings.sounds || !context || !sound || (document.hidden && name !== "turn")) return;
  if (context.state === "suspended") context.resume().catch(() => undefined);
  const source = context.createBufferSource();
  source.buffer = sound;
  source.connect(context.destination);
  source.start();
  document.dispatchEvent(new CustomEvent("sound", { detail: name }));
}
