/** The entry point of the table page. */

import { byId } from "./el.js";
import { mountTable } from "./mount.js";

const page = byId("table");
/** @type {{ default: Layout }} */
const { default: layout } = await import(page.dataset.layout ?? "");
await mountTable(page, JSON.parse(byId("snapshot").textContent ?? ""), layout);
