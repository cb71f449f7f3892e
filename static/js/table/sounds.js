/** Small sounds, made here and not loaded: nothing sounds before the player has switched them on. */

import { settings } from "./settings.js";

/** Notes of each sound: frequency in hertz, start and length in seconds, loudness. */
const NOTES = {
  turn: [[587, 0, 0.14, 0.12], [880, 0.12, 0.22, 0.12]],
  card: [[220, 0, 0.05, 0.05]],
  won: [[523, 0, 0.12, 0.1], [659, 0.11, 0.12, 0.1], [784, 0.22, 0.3, 0.1]],
};
let context = null;

/** Play the sound of that name, if sounds are on. */
export function play(name) {
  if (!settings.sounds || !("AudioContext" in window)) return;
  context ??= new AudioContext();
  // A page that nobody has touched yet may not sound.
  if (context.state === "suspended") context.resume().catch(() => undefined);
  for (const [pitch, start, length, loud] of NOTES[name]) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const at = context.currentTime + start;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(loud, at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
