/** The check page: fetches a finished match, deals it again from its seed, and shows the result. */

import { Chances, sha256 } from "./chance.js";
import { follow, PACKS, Wrong } from "./redeal.js";

const page = document.getElementById("check");
const { seats, options, slug, seed, hash, last } = JSON.parse(document.getElementById("match").textContent ?? "");
const words = page.dataset;

/**
 * @param {string | undefined} text
 * @param {object} values
 */
const fill = (text, values) => (text ?? "").replace(/\{(\w+)\}/g, (_whole, name) => String(Object(values)[name]));

/**
 * @param {string} id
 * @param {boolean | null} holds - null while it is being checked
 * @param {string | undefined} text
 */
function showCheck(id, holds, text) {
  const line = document.getElementById(id);
  line.dataset.state = holds === null ? "waiting" : holds ? "good" : "bad";
  line.querySelector(".check-said").textContent = text ?? "";
}

/** @param {string | undefined} url */
async function json(url) {
  const answer = await fetch(url ?? "");
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/** All moments in order, fetched when needed. */
async function* moments() {
  let from = 0;
  while (from <= last) {
    const { moments: some } = await json(`${words.moments}?seat=all&from=${from}`);
    yield* some;
    from += some.length;
  }
}

async function checkHash() {
  const holds = (await sha256(seed)) === hash;
  showCheck("check-hash", holds, holds ? words.good : words.bad);
  return holds;
}

async function checkCards() {
  const { moves } = await json(words.moves);
  const table = follow({ slug, seats, options, moves }, await Chances.of(seed));
  let before = null;
  let at = 0;
  try {
    for await (const { v, view } of moments()) {
      at = v;
      if (before === null) {
        await table.deal(view);
        showCheck("check-deal", true, words.good);
      } else await table.step(v, before, view);
      before = view;
      if (v % 20 === 0 || v === last)
        showCheck("check-cards", v === last ? true : null, fill(words.progress, { v, last, n: table.checked }));
    }
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    if (before === null) showCheck("check-deal", false, words.bad);
    showCheck("check-cards", false, before === null ? words.bad : fill(words.wrong, { v: at }));
    return false;
  }
  return true;
}

async function check() {
  if (!globalThis.crypto?.subtle) {
    showCheck("check-hash", false, words.insecure);
    return;
  }
  try {
    const holds = (await checkHash()) && (await checkCards());
    page.dataset.result = holds ? "good" : "bad";
  } catch {
    showCheck("check-cards", false, words.lost);
    page.dataset.result = "lost";
  }
  document.getElementById("check-again").hidden = page.dataset.result !== "lost";
}

document.getElementById("check-again").addEventListener("click", check);
document.getElementById("program-pack").textContent = JSON.stringify(PACKS[slug](options, seats));
await check();
