import assert from "node:assert/strict";
import { test } from "node:test";
import { Chances, sha256 } from "../../static/js/replay/chance.js";
import { follow, PACKS, Wrong } from "../../static/js/replay/redeal.js";
import { data } from "./page.js";

async function check({ slug, seats, options, seed, moves, views }) {
  const table = follow({ slug, seats, options, moves }, await Chances.of(seed));
  await table.deal(views[0]);
  for (const [at, view] of views.entries()) if (at) await table.step(at, views[at - 1], view);
  return table.checked;
}

for (const [slug, { matches }] of Object.entries(data))
  for (const match of matches) {
    test(`${slug} for ${match.seats} is dealt again from its seed, card by card`, async () => {
      assert.ok((await check({ slug, ...match })) > 10);
      assert.equal(new Set(PACKS[slug](match.options, match.seats)).size > 20, true);
    });
    test(`${slug} for ${match.seats} with another seed is found out`, async () => {
      const seed = `${match.seed.slice(0, -1)}${match.seed.endsWith("0") ? "1" : "0"}`;
      await assert.rejects(check({ slug, ...match, seed }), Wrong);
    });
  }

test("the hash of a seed is the one that the site publishes", async () => {
  assert.equal(await sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
