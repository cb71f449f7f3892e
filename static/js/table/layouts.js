/** The layout module of each game, brought only when its table is drawn. */

/** Written out, so that hashed names can be filled in. */
const LAYOUTS = {
  amagande: () => import("./games/amagande.js"),
  armani: () => import("./games/armani.js"),
  armed: () => import("./games/armed.js"),
  avalanche: () => import("./games/avalanche.js"),
  "basic-rummy": () => import("./games/rummy.js"),
  "normal-cards": () => import("./games/normal-cards.js"),
  "rummy-500": () => import("./games/rummy.js"),
  "ten-skip": () => import("./games/ten-skip.js"),
};

/** The layout of the game of that slug; a game without one gets the standard. */
export const layoutOf = async (slug) => (await (LAYOUTS[slug] ?? (() => import("./games/any.js")))()).default;
